package dev.spur.cloud.billing;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.HistoryClient;
import dev.spur.api.records.JobHistories;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.TresView;
import dev.spur.model.PendingReason;
import dev.spur.model.notation.HostAndPort;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What spurdbd has recorded, and the controller not handed on yet. Both are asked in the name of
/// the account whose jobs they are, who may see them like everybody his own: this service needs no
/// right of its own to look into accounting.
public final class AccountingTruth implements Truth {
    public static final int PORT = 6819;

    /// Clocks of this host and the controllers may differ, and months of accounting are looked
    /// through by the time of submission.
    private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

    private final Function<UsageRecords.Unsettled, ControllerClient> clients;
    private final @Nullable HostAndPort accounting;

    /// @param clients by which the owner of a session asks the cluster
    /// @param accounting where spurdbd is; null: where the controller says
    public AccountingTruth(
            Function<UsageRecords.Unsettled, ControllerClient> clients,
            @Nullable HostAndPort accounting) {
        this.clients = clients;
        this.accounting = accounting;
    }

    @Override
    public Known about(List<UsageRecords.Unsettled> sessions) {
        var account = sessions.getFirst();
        var client = clients.apply(account);
        var found = JobHistories.find(client, () -> history(client), query(sessions));
        var kinds = kinds(found.tres());
        var attempts = new HashMap<Long, List<Attempt>>();
        found.jobs().stream()
                .map(history -> history.getJob())
                .filter(record -> Integer.toUnsignedLong(record.getUid()) == account.uid())
                .sorted(
                        Comparator.comparingLong(JobRecord::getSubmitMicros)
                                .thenComparingInt(JobRecord::getAttempt))
                .forEach(record ->
                        attempts.computeIfAbsent(
                                        Integer.toUnsignedLong(record.getJobId()),
                                        _ -> new ArrayList<>())
                                .add(attempt(record, kinds)));
        return new Known(
                attempts, found.withoutService() == null && found.withoutController() == null);
    }

    private HistoryClient history(ControllerClient client) {
        if (accounting != null) {
            return client.history(accounting);
        }
        var said =
                client.call(controller -> controller.ping(PingRequest.getDefaultInstance()))
                        .getAccountingAddress();
        if (said.isEmpty()) {
            throw new JobHistories.NoAccountingException();
        }
        return client.history(HostAndPort.parse(said, PORT));
    }

    private static RecordQuery query(List<UsageRecords.Unsettled> sessions) {
        var oldest =
                sessions.stream()
                        .map(UsageRecords.Unsettled::createdAt)
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
        return RecordQuery.newBuilder()
                .addAllIds(sessions.stream().map(each -> Long.toString(each.job())).toList())
                .setDuplicates(true)
                .setFromMicros(micros(oldest.minus(CLOCKS_DIFFER)))
                .build();
    }

    private static Map<Integer, String> kinds(List<TresView> registry) {
        var kinds = new HashMap<Integer, String>();
        registry.forEach(each ->
                kinds.put(
                        each.getId(),
                        each.getName().isEmpty()
                                ? each.getType()
                                : each.getType() + "/" + each.getName()));
        return kinds;
    }

    static Attempt attempt(JobRecord record, Map<Integer, String> kinds) {
        var gpus = gpus(record, kinds);
        return new Attempt(
                Integer.toUnsignedLong(record.getJobId()),
                record.getAttempt(),
                instant(record.getStartMicros()),
                instant(record.getEndMicros()),
                Duration.ofSeconds(record.getSuspendedSeconds()),
                instant(record.getSuspendedSinceMicros()),
                gpus.type(),
                gpus.count(),
                record.getAllocCpus(),
                freeBecause(record).orElse(null),
                isLast(record));
    }

    private record Gpus(String type, int count) {}

    /// As allocated: `gres/gpu:mi300x`, or `gres/gpu` where nodes say no type.
    private static Gpus gpus(JobRecord record, Map<Integer, String> kinds) {
        var count = 0L;
        var type = "";
        for (var allocated : record.getTresAllocatedMap().entrySet()) {
            var kind = kinds.getOrDefault(allocated.getKey(), "");
            if (kind.equals("gres/gpu")) {
                count = Math.max(count, allocated.getValue());
            } else if (kind.startsWith("gres/gpu:")) {
                type = kind.substring("gres/gpu:".length());
                count = Math.max(count, allocated.getValue());
            }
        }
        return count == 0
                ? new Gpus("none", 0)
                : new Gpus(type.isEmpty() ? "gpu" : type, Math.toIntExact(count));
    }

    /// Nobody pays for what the cluster did not deliver.
    private static Optional<String> freeBecause(JobRecord record) {
        return switch (record.getState()) {
            case "NODE_FAIL" -> Optional.of("the node failed");
            case "BOOT_FAIL" -> Optional.of("the node did not start");
            default ->
                    record.getReason().equals(PendingReason.LAUNCH_FAILED.word())
                                    || record.getReason()
                                            .equals(PendingReason.LAUNCH_FAILED_HELD.word())
                            ? Optional.of("it did not start on its node")
                            : Optional.empty();
        };
    }

    private static boolean isLast(JobRecord record) {
        return record.getEndMicros() != 0
                && !record.getState().equals("REQUEUED")
                && !record.getState().equals("PENDING");
    }

    private static @Nullable Instant instant(long micros) {
        return micros == 0 ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static long micros(Instant when) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, when);
    }
}
