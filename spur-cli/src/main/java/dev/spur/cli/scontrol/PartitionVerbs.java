package dev.spur.cli.scontrol;

import static dev.spur.cli.scontrol.Words.word;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ChangePartitionRequest;
import dev.spur.api.v1.DeletePartitionRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// `scontrol create`, `update` and `delete partition`.
final class PartitionVerbs {
    /// In the order in which Slurm looks for them.
    private static final Words<String> KEYS =
            new Words<>(
                    List.of(
                            word("maxtime", 4, "MaxTime"),
                            word("defaulttime", 8, "DefaultTime"),
                            word("default", 7, "Default"),
                            word("disablerootjobs", 2, "DisableRootJobs"),
                            word("exclusiveuser", 2, "ExclusiveUser"),
                            word("hidden", 1, "Hidden"),
                            word("lln", 1, "LLN"),
                            word("rootonly", 3, "RootOnly"),
                            word("reqresv", 3, "ReqResv"),
                            word("shared", 2, "Shared"),
                            word("oversubscribe", 5, "OverSubscribe"),
                            word("overtimelimit", 5, "OverTimeLimit"),
                            word("preemptmode", 3, "PreemptMode"),
                            word("priorityjobfactor", 9, "PriorityJobFactor"),
                            word("prioritytier", 9, "PriorityTier"),
                            word("priority", 3, "Priority"),
                            word("state", 2, "State"),
                            word("minnodes", 2, "MinNodes"),
                            word("maxnodes", 4, "MaxNodes"),
                            word("maxcpuspernode", 4, "MaxCPUsPerNode"),
                            word("allowgroups", 6, "AllowGroups"),
                            word("allowaccounts", 6, "AllowAccounts"),
                            word("allowqos", 6, "AllowQos"),
                            word("denyaccounts", 5, "DenyAccounts"),
                            word("denyqos", 5, "DenyQos"),
                            word("allocnodes", 3, "AllocNodes"),
                            word("alternate", 3, "Alternate"),
                            word("gracetime", 5, "GraceTime"),
                            word("defmempercpu", 10, "DefMemPerCPU"),
                            word("defmempernode", 10, "DefMemPerNode"),
                            word("maxmempercpu", 10, "MaxMemPerCPU"),
                            word("maxmempernode", 10, "MaxMemPerNode"),
                            word("jobdefaults", 3, "JobDefaults"),
                            word("cpubind", 4, "CpuBind"),
                            word("qos", 3, "QoS"),
                            word("nodes", 1, "Nodes"),
                            word("tresbillingweights", 4, "TRESBillingWeights")));

    private PartitionVerbs() {}

    private static Optional<String> fill(List<Pair> pairs, ChangePartitionRequest.Builder request) {
        for (var pair : pairs) {
            var sign = pair.key().endsWith("+") || pair.key().endsWith("-");
            var bare = sign ? pair.key().substring(0, pair.key().length() - 1) : pair.key();
            if (bare.length() >= 3 && "partitionname".startsWith(bare.toLowerCase(Locale.ROOT))) {
                request.setName(pair.value());
                continue;
            }
            var key = KEYS.find(bare);
            if (key.isEmpty()) {
                return Optional.of(
                        "Update of this parameter is not supported: %s=%s\nRequest aborted"
                                .formatted(pair.key(), pair.value()));
            }
            request.putSettings(
                    key.get() + (sign ? pair.key().substring(pair.key().length() - 1) : ""),
                    pair.value());
        }
        return request.getName().isEmpty()
                ? Optional.of("PartitionName must be given.")
                : Optional.empty();
    }

    static int create(Session session, List<Pair> pairs) {
        var request = request(session);
        var wrong = fill(pairs, request);
        if (wrong.isPresent()) {
            return session.fail(wrong.get());
        }
        try {
            session.controller().call(controller -> controller.createPartition(request.build()));
            return 0;
        } catch (ControllerException refusal) {
            return session.fail("Error creating the partition: " + said(refusal));
        }
    }

    static int update(Session session, List<Pair> pairs) {
        var request = request(session);
        var wrong = fill(pairs, request);
        if (wrong.isPresent()) {
            return session.fail(wrong.get());
        }
        if (request.getSettingsCount() == 0) {
            return session.fail("No changes specified");
        }
        try {
            session.controller().call(controller -> controller.updatePartition(request.build()));
            return 0;
        } catch (ControllerException refusal) {
            return session.fail("slurm_update error: " + said(refusal));
        }
    }

    static int delete(Session session, String word, String name) {
        var request =
                DeletePartitionRequest.newBuilder()
                        .setRequestId(session.in().newRequestId())
                        .setName(name)
                        .build();
        try {
            session.controller().call(controller -> controller.deletePartition(request));
            return 0;
        } catch (ControllerException refusal) {
            return session.fail("delete_partition %s: %s".formatted(word, said(refusal)));
        }
    }

    private static String said(ControllerException refusal) {
        return Verbs.told(refusal) + ReservationVerbs.why(refusal);
    }

    private static ChangePartitionRequest.Builder request(Session session) {
        return ChangePartitionRequest.newBuilder().setRequestId(session.in().newRequestId());
    }
}
