package dev.spur.cli.cluster;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ControllerStanding;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.RemoveControllerRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// `spur cluster status | remove NAME`
public final class Cluster implements Tool {
    private static final OptionTable TABLE =
            OptionTable.of(
                    """
                    status|remove NAME

                      status        the controllers: who leads, who follows, how far behind, how they are
                      remove NAME   takes a controller out, dead or alive, and revokes its certificate

                    A controller is added with: spur token join --role controller --host NAME
                    Exit code of status: 0 if a controller leads, else 1.
                    """
                            .strip());

    private static final List<String> HEADER =
            List.of("NAME", "ADDRESS", "REPLICATION", "ROLE", "STATE", "LAG", "CLOCK", "VERSION");

    private final Connector connector;

    public Cluster(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(
                in,
                arguments -> {
                    var words = arguments.operands();
                    return switch (words.isEmpty() ? "" : words.getFirst()) {
                        case "status" -> status(in);
                        case "remove" -> remove(in, words.subList(1, words.size()));
                        default ->
                                throw new Failure(
                                        "say what to do: spur cluster status, or spur cluster remove NAME");
                    };
                });
    }

    private int status(Invocation in) {
        var survey = Survey.of(connector.connect(in));
        in.out().print(text(survey));
        return survey.leader().isPresent() ? 0 : 1;
    }

    static String text(Survey survey) {
        var leader = survey.leader();
        var lines = new ArrayList<List<String>>();
        lines.add(HEADER);
        for (var row : survey.rows()) {
            lines.add(cells(row, leader.flatMap(Survey.Row::standing)));
        }
        var widths = new int[HEADER.size()];
        for (var line : lines) {
            for (var i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        var text = new StringBuilder(headline(survey)).append('\n');
        for (var line : lines) {
            var padded = new StringBuilder();
            for (var i = 0; i < widths.length; i++) {
                padded.append(line.get(i)).append(" ".repeat(widths[i] - line.get(i).length() + 2));
            }
            text.append(padded.toString().stripTrailing()).append('\n');
        }
        survey.rows().stream()
                .filter(row -> !row.isUp() && !row.because().isEmpty())
                .forEach(row -> text.append("%s: %s%n".formatted(called(row), row.because())));
        if (!survey.accountingTrouble().isEmpty()) {
            text.append("Accounting: %s%n".formatted(survey.accountingTrouble()));
        }
        return text.toString();
    }

    private static String headline(Survey survey) {
        var members = survey.rows().stream().filter(Survey.Row::isMember).count();
        var up = survey.rows().stream().filter(Survey.Row::isUp).count();
        var leader = survey.leader();
        if (leader.isPresent()) {
            return "Cluster %s: %d of %d controllers answer, %s leads (term %d)"
                    .formatted(
                            survey.cluster(),
                            up,
                            Math.max(members, up),
                            leader.get().name(),
                            leader.get().standing().map(ControllerStanding::getTerm).orElse(0L));
        }
        if (up == 0) {
            return "No controller answers.";
        }
        return survey.trouble().isEmpty()
                ? "Cluster %s: no controller leads yet".formatted(survey.cluster())
                : "Cluster %s: %s".formatted(survey.cluster(), survey.trouble());
    }

    private static List<String> cells(Survey.Row row, Optional<ControllerStanding> leader) {
        var standing = row.standing();
        return List.of(
                called(row),
                row.address(),
                row.replication().isEmpty() ? "-" : row.replication(),
                standing.map(ControllerStanding::getRole).orElse("-"),
                row.isUp() ? "up" : "down",
                standing.flatMap(own -> leader.map(first -> lag(first, own))).orElse("-"),
                standing.flatMap(own -> leader.map(first -> clock(first, own))).orElse("-"),
                Optional.ofNullable(row.reply()).map(PingReply::getVersion).orElse("-"));
    }

    private static String called(Survey.Row row) {
        return row.name().isEmpty() ? row.address() : row.name();
    }

    /// Entries of the log that the leader has recorded and this one has not applied yet.
    private static String lag(ControllerStanding leader, ControllerStanding own) {
        return Long.toString(Math.max(0, leader.getCommitted() - own.getApplied()));
    }

    private static String clock(ControllerStanding leader, ControllerStanding own) {
        var seconds = (own.getNowMicros() - leader.getNowMicros()) / 1e6;
        return Math.abs(seconds) < 0.5 ? "0s" : String.format(Locale.ROOT, "%+.1fs", seconds);
    }

    private int remove(Invocation in, List<String> names) {
        if (names.size() != 1) {
            throw new Failure("say which controller to remove: spur cluster status shows them");
        }
        var request =
                RemoveControllerRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .setName(names.getFirst())
                        .build();
        try {
            var left =
                    connector
                            .connect(in)
                            .call(controller -> controller.removeController(request))
                            .getRemainingList();
            in.out()
                    .println(
                            "%s is no controller any more; left: %s"
                                    .formatted(names.getFirst(), String.join(", ", left)));
            return 0;
        } catch (ControllerException refusal) {
            throw new Failure(Refused.message(refusal));
        }
    }
}
