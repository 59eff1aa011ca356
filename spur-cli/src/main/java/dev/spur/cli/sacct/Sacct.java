package dev.spur.cli.sacct;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.JobFile;
import dev.spur.api.view.HistoryTable;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.format.Units;
import dev.spur.cli.format.View;
import dev.spur.cli.history.AccountingService;
import dev.spur.cli.history.JobHistories;
import dev.spur.cli.options.Arguments;
import dev.spur.model.JobSelector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// `sacct`: jobs and steps that were, and those that are.
public final class Sacct implements Tool {
    private static final int RULE = 80;

    private final Connector connector;

    public Sacct(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return SacctOptions.TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        if (arguments.has(SacctOptions.HELP_FORMAT)) {
            in.out()
                    .print(
                            RuledTable.names(
                                    SacctColumns.ALL.stream()
                                            .sorted(
                                                    Comparator.comparing(
                                                            RuledColumn::name,
                                                            String.CASE_INSENSITIVE_ORDER))
                                            .toList()));
            return 0;
        }
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        if (!arguments.operands().isEmpty()) {
            throw new Failure("Unrecognized option: " + arguments.operands().getFirst());
        }
        if (arguments.has(SacctOptions.COMPLETION)) {
            // As Slurm without a plugin for them: there are no other records of ended jobs.
            in.err().println("Slurm job completion is disabled");
            return 1;
        }
        var columns = RuledTable.choose(SacctColumns.ALL, format(arguments), Sacct::unknown);
        var query = new Selection(in, arguments).query();
        if (Document.isWanted(arguments)) {
            query = query.toBuilder().setSteps(!arguments.has(SacctOptions.ALLOCATIONS)).build();
        }
        var client = connector.connect(in);
        if (arguments.has(SacctOptions.BATCH_SCRIPT)) {
            return files(in, client, query.getIdsList(), JobFile.JOB_FILE_SCRIPT);
        }
        if (arguments.has(SacctOptions.ENV_VARS)) {
            return files(in, client, query.getIdsList(), JobFile.JOB_FILE_ENVIRONMENT);
        }
        var found = JobHistories.find(in, client, query);
        var now = micros(in.clock().instant());
        var document = Document.of(in, arguments);
        if (document.isPresent()) {
            document.get()
                    .list(
                            "jobs",
                            HistoryTable.JOBS,
                            found.jobs(),
                            Surroundings.of(found.cluster(), now, found.countable()))
                    .end(found.cluster());
            return 0;
        }
        var isCut = arguments.has(SacctOptions.TRUNCATE);
        var show =
                new Row.Show(
                        found.tres(),
                        isCut ? query.getFromMicros() : 0,
                        isCut ? query.getUntilMicros() : 0,
                        now,
                        units(arguments),
                        true);
        var rows = new ArrayList<Row>();
        var full = fullyNamed(query.getIdsList());
        for (var history : found.jobs()) {
            var job = history.getJob();
            var isFull =
                    query.getIdsCount() == 0
                            || full.contains(job.getJobId())
                            || full.contains(job.getArrayJobId())
                            || full.contains(job.getHetJobId());
            Row.of(history, !arguments.has(SacctOptions.ALLOCATIONS), show).stream()
                    .filter(row -> isFull || !row.isJob())
                    .forEach(rows::add);
        }
        new RuledTable<>(columns, style(arguments)).print(in.out(), View.of(in, now), rows);
        return 0;
    }

    /// Jobs of which more was asked for than single steps.
    private static Set<Integer> fullyNamed(List<String> ids) {
        return ids.stream()
                .map(JobSelector::parse)
                .filter(id -> id.step() == null)
                .map(id -> id.job().value())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String format(Arguments arguments) {
        var wanted = new ArrayList<String>();
        arguments.all(SacctOptions.FORMAT).forEach(wanted::addAll);
        if (!wanted.isEmpty()) {
            return String.join(",", wanted);
        }
        return arguments.has(SacctOptions.LONG)
                ? SacctColumns.LONG
                : arguments.has(SacctOptions.BRIEF) ? SacctColumns.BRIEF : SacctColumns.USUAL;
    }

    private static Failure unknown(String name) {
        var said = "Invalid field requested: \"" + name + "\"";
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "allocgres" -> new Failure(said + ". Use AllocTRES instead");
            case "reqgres" -> new Failure(said + ". Use ReqTRES instead");
            default -> new Failure(said);
        };
    }

    private static Units units(Arguments arguments) {
        return arguments.has(SacctOptions.NO_CONVERT)
                ? Units.NONE
                : arguments.get(SacctOptions.UNITS, Units.EXACT);
    }

    static RuledTable.Style style(Arguments arguments) {
        return RuledTable.Style.of(
                arguments.has(SacctOptions.PARSABLE),
                arguments.has(SacctOptions.PARSABLE2),
                arguments.get(SacctOptions.DELIMITER, "|"),
                !arguments.has(SacctOptions.NO_HEADER));
    }

    /// What a job was made of, as it was handed in.
    private static int files(
            Invocation in, ControllerClient client, List<String> ids, JobFile kind) {
        if (ids.isEmpty()) {
            throw new Failure(
                    "The --batch-script and --env-vars options need the job: give its id with -j");
        }
        var service = AccountingService.of(in, client);
        for (var id : ids) {
            var request = GetJobFileRequest.newBuilder().setJob(id).setFile(kind).build();
            var content = service.call(history -> history.getJobFile(request)).getContent();
            var heading =
                    kind == JobFile.JOB_FILE_SCRIPT
                            ? "Batch Script for " + id
                            : "Environment used for " + id + " (must be batch to display)";
            in.out().println(heading).println("-".repeat(RULE));
            var text =
                    content.isEmpty()
                            ? "NONE"
                            : kind == JobFile.JOB_FILE_SCRIPT
                                    ? content.toString(in.charset())
                                    : content.toString(in.charset()).replace('\0', '\n');
            in.out().println(text);
        }
        return 0;
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000;
    }
}
