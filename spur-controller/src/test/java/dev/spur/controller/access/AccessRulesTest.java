package dev.spur.controller.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.AccountsGrpc;
import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.JoiningGrpc;
import dev.spur.api.v1.PeersGrpc;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.StatisticsGrpc;
import dev.spur.model.Actor;
import dev.spur.model.Role;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import io.grpc.MethodDescriptor;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every call × every kind of caller. A call that is added without a rule, or without a line here,
/// fails.
class AccessRulesTest {
    private static final Map<String, Caller> CALLERS = new LinkedHashMap<>();

    static {
        CALLERS.put("stranger", new Caller.Stranger());
        CALLERS.put("compute", host(HostRole.COMPUTE));
        CALLERS.put("login", host(HostRole.LOGIN));
        CALLERS.put("accounting", host(HostRole.ACCOUNTING));
        CALLERS.put("controller", host(HostRole.CONTROLLER));
        CALLERS.put("cloud", host(HostRole.CLOUD));
        CALLERS.put("cloud-admin", host(HostRole.CLOUD_ADMIN));
        CALLERS.put("user", person(Role.USER));
        CALLERS.put("operator", person(Role.OPERATOR));
        CALLERS.put("admin", person(Role.ADMIN));
    }

    private static final String MATRIX =
            """
            Joining/Join                 stranger compute login accounting controller cloud cloud-admin user operator admin
            AgentLink/Connect            compute controller
            Controller/CancelJobs        user operator admin
            Controller/CreateJoinToken   admin
            Controller/RevokeCertificate admin
            Controller/CreateStep        user operator admin
            Controller/CreateToken       user operator admin
            Controller/FinishAllocation  user operator admin
            Controller/GetConfig         compute login accounting controller cloud cloud-admin user operator admin
            Controller/GetScript         user operator admin
            Controller/GetStepUsage      user operator admin
            Controller/HoldJobs          user operator admin
            Controller/ListJobs          user operator admin
            Controller/ListNodes         compute login accounting controller cloud cloud-admin user operator admin
            Controller/ListPartitions    compute login accounting controller cloud cloud-admin user operator admin
            Controller/ListSteps         user operator admin
            Controller/ListTokens        user operator admin
            Controller/NotifyJob         user operator admin
            Controller/Ping              compute login accounting controller cloud cloud-admin user operator admin
            Controller/IssueUserToken    cloud cloud-admin
            Controller/ClaimCloudLink    cloud cloud-admin
            Controller/LinkCloudUser     user operator admin
            Controller/UnlinkCloudUser   user operator admin
            Controller/ReachOutput       user operator admin
            Controller/ReachStep         user operator admin
            Controller/Reconfigure       admin
            Controller/ReleaseJobs       user operator admin
            Controller/RemoveController  admin
            Controller/RenewCertificate  compute login accounting controller cloud cloud-admin
            Controller/RequeueJobs       user operator admin
            Controller/RevokeToken       user operator admin
            Controller/SignalJobs        user operator admin
            Controller/SubmitJob         user operator admin
            Controller/TestJob           user operator admin
            Controller/UpdateJobs        user operator admin
            Controller/UpdateNodes       operator admin
            Controller/ExplainJob        user operator admin
            Controller/GetPlan           user operator admin
            Controller/ResumeJobs        user operator admin
            Controller/SuspendJobs       user operator admin
            Controller/TopJobs           user operator admin
            Controller/Watch             user operator admin
            Controller/WatchJob          user operator admin
            Controller/CreatePartition   admin
            Controller/UpdatePartition   admin
            Controller/DeletePartition   admin
            Controller/ListReservations  compute login accounting controller cloud cloud-admin user operator admin
            Controller/CreateReservation operator admin
            Controller/UpdateReservation operator admin
            Controller/DeleteReservation operator admin
            Accounts/ChangeAccounts      user operator admin
            Accounts/ListAccounts        user operator admin
            Accounts/ListPriorities      user operator admin
            Accounts/ListRecords         user operator admin
            Statistics/GetStatistics     user operator admin
            Records/Follow               accounting controller
            Records/Identify             accounting controller
            Peers/Enter                  controller
            Peers/HandOver               controller
            """;

    static Stream<String> methods() {
        return Stream.of(
                        ControllerGrpc.getServiceDescriptor(),
                        JoiningGrpc.getServiceDescriptor(),
                        AgentLinkGrpc.getServiceDescriptor(),
                        PeersGrpc.getServiceDescriptor(),
                        AccountsGrpc.getServiceDescriptor(),
                        StatisticsGrpc.getServiceDescriptor(),
                        RecordsGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .map(MethodDescriptor::getFullMethodName);
    }

    @ParameterizedTest
    @MethodSource("methods")
    void admitsExactlyWhoIsMeant(String method) {
        var rule = AccessRules.of(method);

        assertThat(rule).as("rule for " + method).isPresent();
        var admitted =
                CALLERS.entrySet().stream()
                        .filter(caller -> rule.get().admits(caller.getValue()))
                        .map(Map.Entry::getKey)
                        .toList();
        assertThat(admitted).isEqualTo(expected().get(method));
    }

    @Test
    void aCallThatDoesNotExistHasNoRule() {
        assertThat(AccessRules.of("spur.v1.Controller/DropEverything")).isEmpty();
    }

    private static Map<String, List<String>> expected() {
        return MATRIX.lines()
                .map(line -> line.split(" +"))
                .collect(
                        Collectors.toMap(
                                words -> "spur.v1." + words[0],
                                words -> List.of(words).subList(1, words.length)));
    }

    private static Caller host(HostRole role) {
        return new Caller.Host(new PeerHost("host1", role, BigInteger.ONE));
    }

    private static Caller person(Role role) {
        return new Caller.Person(
                new Actor(1002, "alice", "host1", role, Actor.Origin.DOOR), 1002, List.of());
    }
}
