package dev.spur.cli.sprio;

import dev.spur.api.v1.JobPriority;
import dev.spur.cli.format.Field;
import dev.spur.cli.format.FieldTable;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/// What sprio can show, by letter: small ones are factors from 0 to 1, large ones what the factors
/// add to the priority.
final class PriorityFields {
    private static final double LARGEST_PRIORITY = 4_294_967_295.0;

    static final FieldTable<PriorityRow> TABLE =
            new FieldTable<>(
                    "job",
                    List.of(
                            factor('a', "AGE", "age", JobPriority::getAge),
                            weighted('A', "AGE", "age", JobPriority::getWeightedAge),
                            factor('b', "ASSOC", "assoc", JobPriority::getAssoc),
                            weighted('B', "ASSOC", "assoc", JobPriority::getWeightedAssoc),
                            Field.of(
                                    'c',
                                    "CLUSTER",
                                    (line, row, view) ->
                                            line.append(row.isWeights() ? "" : view.cluster())),
                            factor('f', "FAIRSHARE", "fairshare", JobPriority::getFairShare),
                            weighted(
                                    'F',
                                    "FAIRSHARE",
                                    "fairshare",
                                    JobPriority::getWeightedFairShare),
                            text(
                                    'i',
                                    "JOBID",
                                    row ->
                                            row.isWeights()
                                                    ? "Weights"
                                                    : Integer.toUnsignedString(
                                                            row.job().getJobId())),
                            factor('j', "JOBSIZE", "jobsize", JobPriority::getJobSize),
                            weighted('J', "JOBSIZE", "jobsize", JobPriority::getWeightedJobSize),
                            text('n', "QOSNAME", row -> row.job().getQos()),
                            text(
                                    'N',
                                    "NICE",
                                    row ->
                                            row.isWeights()
                                                    ? ""
                                                    : Integer.toString(row.job().getNice())),
                            text('o', "ACCOUNT", row -> row.job().getAccount()),
                            factor('p', "PARTITION", "partition", JobPriority::getPartitionFactor),
                            weighted(
                                    'P',
                                    "PARTITION",
                                    "partition",
                                    JobPriority::getWeightedPartition),
                            factor('q', "QOS", "qos", JobPriority::getQosFactor),
                            weighted('Q', "QOS", "qos", JobPriority::getWeightedQos),
                            text('r', "PARTITION", row -> row.job().getPartition()),
                            text(
                                    'S',
                                    "SITE",
                                    row ->
                                            row.isWeights()
                                                    ? "1"
                                                    : Integer.toUnsignedString(
                                                            row.job().getSite())),
                            text('t', "TRES", PriorityRow::factorsOfTres),
                            text('T', "TRES", PriorityRow::weightedTres),
                            text('u', "USER", row -> row.job().getUser()),
                            text(
                                    'y',
                                    "PRIORITY",
                                    row ->
                                            row.isWeights()
                                                    ? ""
                                                    : String.format(
                                                            Locale.ROOT,
                                                            "%16.14f",
                                                            (row.job().getPriority() & 0xffff_ffffL)
                                                                    / LARGEST_PRIORITY)),
                            text(
                                    'Y',
                                    "PRIORITY",
                                    row ->
                                            row.isWeights()
                                                    ? ""
                                                    : Integer.toUnsignedString(
                                                            row.job().getPriority()))));

    private PriorityFields() {}

    private static Field<PriorityRow> text(
            char letter, String header, Function<PriorityRow, String> value) {
        return Field.of(letter, header, (line, row, _) -> line.append(value.apply(row)));
    }

    private static Field<PriorityRow> factor(
            char letter, String header, String weight, ToDoubleFunction<JobPriority> value) {
        return text(
                letter,
                header,
                row ->
                        row.isWeights()
                                ? Long.toString(row.weight(weight))
                                : String.format(
                                        Locale.ROOT, "%.7f", value.applyAsDouble(row.job())));
    }

    private static Field<PriorityRow> weighted(
            char letter, String header, String weight, ToLongFunction<JobPriority> value) {
        return text(
                letter,
                header,
                row ->
                        Long.toUnsignedString(
                                row.isWeights()
                                        ? row.weight(weight)
                                        : value.applyAsLong(row.job())));
    }
}
