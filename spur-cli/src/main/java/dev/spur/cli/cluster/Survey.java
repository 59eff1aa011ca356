package dev.spur.cli.cluster;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.ControllerPeer;
import dev.spur.api.v1.ControllerStanding;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.model.notation.HostAndPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Every controller, asked itself: those that this host was told of, and those that they name.
///
/// @param rows by name
public record Survey(String cluster, List<Row> rows) {
    /// Long enough for a busy controller; a dead host costs no more.
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(3);

    /// One controller.
    ///
    /// @param name empty if it did not answer and nobody named it
    /// @param reply what it answered, if it did
    /// @param because why it did not answer
    public record Row(
            String name,
            String address,
            String replication,
            boolean isMember,
            @Nullable PingReply reply,
            String because) {
        public boolean isUp() {
            return reply != null;
        }

        public String host() {
            return HostAndPort.parse(address, HostAndPort.CONTROLLER_PORT).host();
        }

        Optional<ControllerStanding> standing() {
            return Optional.ofNullable(reply).map(PingReply::getSelf);
        }
    }

    public Survey {
        rows = List.copyOf(rows);
    }

    public static Survey of(ControllerClient client) {
        var begin = System.nanoTime();
        var asked = new ArrayList<>(ask(client, client.addresses(), begin));
        var newest =
                asked.stream()
                        .map(ControllerClient.Asked::answer)
                        .filter(answer -> answer != null)
                        .max(
                                Comparator.comparing((PingReply answer) ->
                                                !answer.getSelf().getLeader().isEmpty())
                                        .thenComparing(answer -> answer.getSelf().getTerm()));
        if (newest.isEmpty()) {
            return new Survey("", asked.stream().map(Survey::stranger).toList());
        }
        var members = newest.get().getControllersList();
        var heard = new HashSet<String>();
        asked.forEach(one -> name(one).ifPresent(heard::add));
        var missing =
                members.stream()
                        .filter(member -> !heard.contains(member.getName()))
                        .map(member ->
                                HostAndPort.parse(member.getAddress(), HostAndPort.CONTROLLER_PORT))
                        .toList();
        asked.removeIf(one -> missing.contains(one.address()));
        asked.addAll(ask(client, missing, begin));
        return new Survey(newest.get().getCluster(), rows(members, asked));
    }

    private static List<Row> rows(
            List<ControllerPeer> members, List<ControllerClient.Asked<PingReply>> asked) {
        var rows = new TreeMap<String, Row>();
        for (var member : members) {
            rows.put(member.getName(), row(member, asked));
        }
        for (var one : asked) {
            name(one).ifPresent(name -> rows.computeIfAbsent(name, _ -> stranger(one)));
        }
        return List.copyOf(rows.values());
    }

    private static Row row(ControllerPeer member, List<ControllerClient.Asked<PingReply>> asked) {
        var answer =
                asked.stream()
                        .filter(one -> name(one).equals(Optional.of(member.getName())))
                        .findFirst();
        var failure =
                asked.stream()
                        .filter(one -> one.address().toString().equals(member.getAddress()))
                        .findFirst();
        return new Row(
                member.getName(),
                member.getAddress(),
                member.getReplicationAddress(),
                true,
                answer.map(ControllerClient.Asked::answer).orElse(null),
                failure.map(Survey::because).orElse(""));
    }

    /// One that no list of members names.
    private static Row stranger(ControllerClient.Asked<PingReply> one) {
        return new Row(
                name(one).orElse(""),
                one.address().toString(),
                "",
                false,
                one.answer(),
                because(one));
    }

    private static Optional<String> name(ControllerClient.Asked<PingReply> one) {
        return Optional.ofNullable(one.answer()).map(answer -> answer.getSelf().getName());
    }

    private static String because(ControllerClient.Asked<PingReply> one) {
        return one.failure() == null ? "" : String.valueOf(one.failure().getMessage());
    }

    private static List<ControllerClient.Asked<PingReply>> ask(
            ControllerClient client, List<HostAndPort> addresses, long begin) {
        return client.each(
                addresses,
                ANSWER_WITHIN,
                controller -> asOf(begin, controller.ping(PingRequest.getDefaultInstance())));
    }

    /// Clocks are compared as they were when the survey began: it asks some later than others.
    private static PingReply asOf(long begin, PingReply reply) {
        var since = (System.nanoTime() - begin) / 1_000;
        var self = reply.getSelf();
        return reply.toBuilder()
                .setSelf(self.toBuilder().setNowMicros(self.getNowMicros() - since))
                .build();
    }

    /// The controller that leads, by its own word and nobody's newer one.
    public Optional<Row> leader() {
        return rows.stream()
                .filter(row ->
                        row.standing()
                                .filter(standing -> standing.getRole().equals("leader"))
                                .isPresent())
                .max(
                        Comparator.comparing(
                                row -> row.standing().map(ControllerStanding::getTerm).orElse(0L)));
    }

    /// What is wrong with accounting, as the leader puts it; empty if nothing is, or nobody leads.
    public String accountingTrouble() {
        return leader().map(Row::reply).map(PingReply::getAccountingTrouble).orElse("");
    }

    /// Why nobody leads, as a controller that waits puts it.
    public String trouble() {
        return rows.stream()
                .flatMap(row -> row.standing().stream())
                .map(ControllerStanding::getTrouble)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
    }
}
