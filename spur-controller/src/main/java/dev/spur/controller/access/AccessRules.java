package dev.spur.controller.access;

import static dev.spur.controller.access.AccessRules.Rule.ACCOUNTING_HOST;
import static dev.spur.controller.access.AccessRules.Rule.ADMIN;
import static dev.spur.controller.access.AccessRules.Rule.AGENT_HOST;
import static dev.spur.controller.access.AccessRules.Rule.ANYBODY_KNOWN;
import static dev.spur.controller.access.AccessRules.Rule.ANY_HOST;
import static dev.spur.controller.access.AccessRules.Rule.CLOUD_HOST;
import static dev.spur.controller.access.AccessRules.Rule.CONTROLLER_HOST;
import static dev.spur.controller.access.AccessRules.Rule.OPERATOR;
import static dev.spur.controller.access.AccessRules.Rule.STRANGERS_TOO;
import static dev.spur.controller.access.AccessRules.Rule.USER;

import dev.spur.model.Role;
import dev.spur.runtime.identity.HostRole;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Who may call what, for every call that exists. A call without a line here is refused to
/// everybody.
///
/// *User* means: whoever it is acts in their own name, and what they may do to which job is decided
/// where jobs are changed ([Actor#mayManage][dev.spur.model.Actor#mayManage]).
public final class AccessRules {
    /// What a caller must be.
    public enum Rule {
        /// Also before it has a certificate: the secret in the request is what counts.
        STRANGERS_TOO,
        ANYBODY_KNOWN,
        USER,
        OPERATOR,
        ADMIN,
        ANY_HOST,
        /// Runs jobs.
        AGENT_HOST,
        /// Runs spurdbd.
        ACCOUNTING_HOST,
        CONTROLLER_HOST,
        /// Runs the cloud.
        CLOUD_HOST;

        public boolean admits(Caller caller) {
            return switch (this) {
                case STRANGERS_TOO -> true;
                case ANYBODY_KNOWN -> !(caller instanceof Caller.Stranger);
                case USER -> isPerson(caller, Role.USER);
                case OPERATOR -> isPerson(caller, Role.OPERATOR);
                case ADMIN -> isPerson(caller, Role.ADMIN);
                case ANY_HOST -> caller instanceof Caller.Host;
                case AGENT_HOST ->
                        caller instanceof Caller.Host(var peer)
                                && (peer.role() == HostRole.COMPUTE
                                        || peer.role() == HostRole.CONTROLLER);
                case ACCOUNTING_HOST ->
                        caller instanceof Caller.Host(var peer)
                                && (peer.role() == HostRole.ACCOUNTING
                                        || peer.role() == HostRole.CONTROLLER);
                case CONTROLLER_HOST ->
                        caller instanceof Caller.Host(var peer)
                                && peer.role() == HostRole.CONTROLLER;
                case CLOUD_HOST ->
                        caller instanceof Caller.Host(var peer)
                                && (peer.role() == HostRole.CLOUD
                                        || peer.role() == HostRole.CLOUD_ADMIN);
            };
        }

        private static boolean isPerson(Caller caller, Role atLeast) {
            return caller instanceof Caller.Person person && person.isAtLeast(atLeast);
        }
    }

    private static final Map<String, Rule> RULES =
            Map.ofEntries(
                    Map.entry("spur.v1.Controller/SubmitJob", USER),
                    Map.entry("spur.v1.Controller/TestJob", USER),
                    Map.entry("spur.v1.Controller/ListJobs", USER),
                    Map.entry("spur.v1.Controller/ListSteps", USER),
                    Map.entry("spur.v1.Controller/GetStepUsage", USER),
                    Map.entry("spur.v1.Controller/WatchJob", USER),
                    Map.entry("spur.v1.Controller/CancelJobs", USER),
                    Map.entry("spur.v1.Controller/SignalJobs", USER),
                    Map.entry("spur.v1.Controller/HoldJobs", USER),
                    Map.entry("spur.v1.Controller/ReleaseJobs", USER),
                    Map.entry("spur.v1.Controller/RequeueJobs", USER),
                    Map.entry("spur.v1.Controller/SuspendJobs", USER),
                    Map.entry("spur.v1.Controller/ResumeJobs", USER),
                    Map.entry("spur.v1.Controller/TopJobs", USER),
                    Map.entry("spur.v1.Controller/NotifyJob", USER),
                    Map.entry("spur.v1.Controller/UpdateJobs", USER),
                    Map.entry("spur.v1.Controller/FinishAllocation", USER),
                    Map.entry("spur.v1.Controller/GetScript", USER),
                    Map.entry("spur.v1.Controller/GetPlan", USER),
                    Map.entry("spur.v1.Controller/ExplainJob", USER),
                    Map.entry("spur.v1.Controller/Watch", USER),
                    Map.entry("spur.v1.Controller/CreateStep", USER),
                    Map.entry("spur.v1.Controller/ReachOutput", USER),
                    Map.entry("spur.v1.Controller/ReachStep", USER),
                    Map.entry("spur.v1.Controller/ListNodes", ANYBODY_KNOWN),
                    Map.entry("spur.v1.Controller/UpdateNodes", OPERATOR),
                    Map.entry("spur.v1.Controller/ListPartitions", ANYBODY_KNOWN),
                    Map.entry("spur.v1.Controller/CreatePartition", ADMIN),
                    Map.entry("spur.v1.Controller/UpdatePartition", ADMIN),
                    Map.entry("spur.v1.Controller/DeletePartition", ADMIN),
                    Map.entry("spur.v1.Controller/ListReservations", ANYBODY_KNOWN),
                    Map.entry("spur.v1.Controller/CreateReservation", OPERATOR),
                    Map.entry("spur.v1.Controller/UpdateReservation", OPERATOR),
                    Map.entry("spur.v1.Controller/DeleteReservation", OPERATOR),
                    Map.entry("spur.v1.Controller/Ping", ANYBODY_KNOWN),
                    Map.entry("spur.v1.Controller/GetConfig", ANYBODY_KNOWN),
                    Map.entry("spur.v1.Controller/Reconfigure", ADMIN),
                    Map.entry("spur.v1.Controller/CreateToken", USER),
                    Map.entry("spur.v1.Controller/ListTokens", USER),
                    Map.entry("spur.v1.Controller/RevokeToken", USER),
                    Map.entry("spur.v1.Controller/CreateJoinToken", ADMIN),
                    Map.entry("spur.v1.Controller/RenewCertificate", ANY_HOST),
                    Map.entry("spur.v1.Controller/RevokeCertificate", ADMIN),
                    Map.entry("spur.v1.Controller/RemoveController", ADMIN),
                    Map.entry("spur.v1.Controller/IssueUserToken", CLOUD_HOST),
                    Map.entry("spur.v1.Controller/LinkCloudUser", USER),
                    Map.entry("spur.v1.Controller/ClaimCloudLink", CLOUD_HOST),
                    Map.entry("spur.v1.Controller/UnlinkCloudUser", USER),
                    Map.entry("spur.v1.Joining/Join", STRANGERS_TOO),
                    Map.entry("spur.v1.Peers/HandOver", CONTROLLER_HOST),
                    Map.entry("spur.v1.Peers/Enter", CONTROLLER_HOST),
                    Map.entry("spur.v1.AgentLink/Connect", AGENT_HOST),
                    Map.entry("spur.v1.Accounts/ListAccounts", USER),
                    Map.entry("spur.v1.Accounts/ChangeAccounts", USER),
                    Map.entry("spur.v1.Accounts/ListRecords", USER),
                    Map.entry("spur.v1.Accounts/ListPriorities", USER),
                    Map.entry("spur.v1.Statistics/GetStatistics", USER),
                    Map.entry("spur.v1.Records/Follow", ACCOUNTING_HOST),
                    Map.entry("spur.v1.Records/Identify", ACCOUNTING_HOST));

    /// What root of any host may ask, as everybody may.
    private static final Set<String> READING =
            Set.of(
                    "spur.v1.Controller/ListJobs",
                    "spur.v1.Controller/ListSteps",
                    "spur.v1.Controller/WatchJob",
                    "spur.v1.Controller/GetPlan",
                    "spur.v1.Controller/Watch");

    private static final Set<String> ADDING =
            Set.of(
                    "spur.v1.Controller/SubmitJob",
                    "spur.v1.Controller/TestJob",
                    "spur.v1.Controller/CreateStep",
                    "spur.v1.Controller/CreatePartition",
                    "spur.v1.Controller/CreateReservation",
                    "spur.v1.Controller/CreateToken",
                    "spur.v1.Controller/LinkCloudUser");

    private AccessRules() {}

    /// The rule for a call by its full name, `spur.v1.Controller/SubmitJob`.
    public static Optional<Rule> of(String method) {
        return Optional.ofNullable(RULES.get(method));
    }

    /// Whether this caller may make this call; unknown calls are nobody's.
    static boolean admits(String method, Caller caller) {
        var isAdmitted = of(method).map(rule -> rule.admits(caller)).orElse(false);
        return isAdmitted
                || caller instanceof Caller.RootOfHost(var peer, _)
                        && (READING.contains(method)
                                || method.equals("spur.v1.Controller/UpdateNodes")
                                        && peer.role() == HostRole.COMPUTE);
    }

    /// Calls after which the controller has more to remember. They are refused first when it has
    /// little room left; whatever ends or shows something is not.
    public static boolean addsToState(String method) {
        return ADDING.contains(method);
    }

    /// Calls that Slurm refuses with its word about the user instead of the permission.
    static boolean isForTheRightUser(String method) {
        return method.equals("spur.v1.Controller/UpdateNodes")
                || method.equals("spur.v1.Controller/Reconfigure");
    }

    /// Calls that bring new jobs. Steps of jobs that run are theirs.
    public static boolean addsJobs(String method) {
        return method.equals("spur.v1.Controller/SubmitJob");
    }

    /// Calls that every controller answers, not only the leader.
    public static boolean isAnsweredByAll(String method) {
        return method.equals("spur.v1.Controller/Ping");
    }
}
