package dev.spur.cli.why;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ExplainJobReply;
import dev.spur.api.v1.ExplainJobRequest;
import dev.spur.api.v1.JobAhead;
import dev.spur.api.v1.JobHolding;
import dev.spur.api.v1.PlannedJob;
import dev.spur.api.v1.Suggestion;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.Refused;
import dev.spur.model.JobSelector;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

/// `spur why JOB...`
public final class Why implements Tool {
    private static final OptionTable TABLE =
            OptionTable.of("JOBID...\n\nWhy a job waits, and what would start it sooner.")
                    .options()
                    .helpLetter();

    private static final int SHOWN = 3;

    private final Connector connector;

    public Why(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> explain(in, arguments));
    }

    private int explain(Invocation in, Arguments arguments) {
        if (arguments.operands().isEmpty()) {
            throw new Failure("which job? Say spur why JOBID, with an id as squeue shows it");
        }
        var controller = connector.connect(in);
        var exitCode = 0;
        for (var i = 0; i < arguments.operands().size(); i++) {
            var id = arguments.operands().get(i);
            requireId(id);
            var request = ExplainJobRequest.newBuilder().setId(id).build();
            try {
                var reply = controller.call(stub -> stub.explainJob(request));
                in.out().print((i == 0 ? "" : "\n") + new Page(in, id, reply).text());
            } catch (ControllerException refusal) {
                if (refusal.kind() != ControllerException.Kind.REFUSED) {
                    throw refusal;
                }
                in.err().println("why: error: %s: job %s".formatted(Refused.text(refusal), id));
                exitCode = 1;
            }
        }
        return exitCode;
    }

    private static void requireId(String id) {
        try {
            JobSelector.parse(id);
        } catch (NotationException _) {
            throw new Failure("Invalid job id: " + id);
        }
    }

    /// What is said of one job.
    private static final class Page {
        private final Invocation in;
        private final String id;
        private final ExplainJobReply reply;
        private final StringBuilder text = new StringBuilder();

        Page(Invocation in, String id, ExplainJobReply reply) {
            this.in = in;
            this.id = id;
            this.reply = reply;
        }

        String text() {
            var plan = reply.getPlan();
            if (!reply.getState().equals("PENDING") && !reply.getState().equals("SPECIAL_EXIT")) {
                line("Job %s does not wait. %s".formatted(id, reply.getBecause()));
                return text.toString();
            }
            line("Job %s waits: %s%s".formatted(id, plan.getReason(), plan.getReasonDetail()));
            line("  " + reply.getBecause());
            line("  " + expected(plan));
            if (plan.getPlace() > 0) {
                line(
                        "  It has place %d of %d in the queue%s."
                                .formatted(
                                        plan.getPlace(),
                                        Math.max(plan.getPlace(), reply.getQueued()),
                                        reply.getAheadTotal() == 0
                                                ? "; nobody is before it in its partition"
                                                : ""));
            }
            ahead();
            holding();
            suggestions();
            return text.toString();
        }

        private String expected(PlannedJob plan) {
            if (plan.getStartMicros() == 0) {
                return "When it will start cannot be foreseen.";
            }
            var where = plan.getNodes().isEmpty() ? "" : " on " + plan.getNodes();
            return plan.getStartMicros() <= reply.getNowMicros()
                    ? "It starts at once" + where + "."
                    : "By the present plan it starts %s%s."
                            .formatted(when(plan.getStartMicros()), where);
        }

        private void ahead() {
            if (reply.getAheadTotal() == 0) {
                return;
            }
            var named =
                    reply.getAheadList().stream()
                            .limit(SHOWN)
                            .map(Page::ahead)
                            .collect(Collectors.joining(", "));
            line(
                    "  Before it in its partition: "
                            + list(named, reply.getAheadTotal(), reply.getAheadList()));
        }

        private static String ahead(JobAhead job) {
            return "%s (%s)".formatted(job.getId(), job.getUser());
        }

        private void holding() {
            if (reply.getHoldingTotal() == 0) {
                return;
            }
            var named =
                    reply.getHoldingList().stream()
                            .limit(SHOWN)
                            .map(this::holding)
                            .collect(Collectors.joining(", "));
            line(
                    "  On nodes that it could use: "
                            + list(named, reply.getHoldingTotal(), reply.getHoldingList()));
        }

        private String holding(JobHolding job) {
            return "%s (%s) %s"
                    .formatted(
                            job.getId(),
                            job.getUser(),
                            job.getUntilMicros() == 0
                                    ? "without a time limit"
                                    : "until " + clock(job.getUntilMicros()));
        }

        private static String list(String named, int count, List<?> visible) {
            var more = count - Math.min(SHOWN, visible.size());
            if (named.isEmpty()) {
                return count == 1 ? "1 job." : count + " jobs.";
            }
            return named + (more > 0 ? " and %d more.".formatted(more) : ".");
        }

        private void suggestions() {
            var at = reply.getNowMicros();
            var now =
                    reply.getSuggestionsList().stream()
                            .filter(each -> each.getStartMicros() <= at)
                            .toList();
            var later =
                    reply.getSuggestionsList().stream()
                            .filter(each -> each.getStartMicros() > at)
                            .toList();
            if (!now.isEmpty()) {
                line("It would start at once:");
                now.forEach(each -> line("  %-36s %s".formatted(each.getText(), how(each))));
            }
            if (!later.isEmpty()) {
                line("It would start sooner:");
                later.forEach(each ->
                        line(
                                "  %-36s %s"
                                        .formatted(
                                                each.getText()
                                                        + " ("
                                                        + clock(each.getStartMicros())
                                                        + ")",
                                                how(each))));
            }
            if (reply.getExhausted()) {
                line(
                        "There is more to try, but the queue is long; this is what was found in a second.");
            }
        }

        private String how(Suggestion suggestion) {
            if (suggestion.getRelease()) {
                return "scontrol release " + id;
            }
            if (suggestion.getUpdateCount() > 0) {
                return "scontrol update JobId="
                        + id
                        + suggestion.getUpdateMap().entrySet().stream()
                                .map(change -> " " + change.getKey() + "=" + change.getValue())
                                .collect(Collectors.joining());
            }
            return "cancel it and submit it again " + option(suggestion.getOption());
        }

        private static String option(String option) {
            return option.startsWith("-") ? "with " + option : option;
        }

        /// `at 14:20:00 (in 3:12)`
        private String when(long micros) {
            var left =
                    Duration.of(micros - reply.getNowMicros(), ChronoUnit.MICROS)
                            .truncatedTo(ChronoUnit.SECONDS);
            return "%s (in %s)".formatted(clock(micros), Durations.brief(left));
        }

        /// The time of day, with the date if it is another day.
        private String clock(long micros) {
            var zone = in.zone();
            var time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atZone(zone);
            var today = Instant.EPOCH.plus(reply.getNowMicros(), ChronoUnit.MICROS).atZone(zone);
            var hours =
                    Text.of("%02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond());
            return time.toLocalDate().equals(today.toLocalDate())
                    ? hours
                    : time.toLocalDate() + "T" + hours;
        }

        private void line(String line) {
            text.append(line).append('\n');
        }
    }
}
