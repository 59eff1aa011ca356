package dev.spur.cli.squeue;

import static dev.spur.cli.format.SortKeys.number;
import static dev.spur.cli.format.SortKeys.text;
import static dev.spur.cli.squeue.JobText.unsigned;
import static java.util.Map.entry;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.Partition;
import dev.spur.api.v1.Step;
import dev.spur.api.v1.TimeLimit;
import dev.spur.cli.format.SortKeys;
import dev.spur.cli.format.SortKeys.Key;
import dev.spur.cli.format.StateWords;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What jobs and steps can be sorted by, letter by letter.
final class JobOrder {
    static final String USUAL = "P,t,-p";
    static final String USUAL_STARTS = "S";
    static final String USUAL_STEPS = "P,i";

    private static final Map<String, List<Key<Job>>> KEYS =
            Map.ofEntries(
                    entry("a", List.of(text(Job::getAccount))),
                    entry("A", List.of(number(job -> unsigned(job.getJobId())))),
                    entry("b", List.of(text(Job::getTresPerNode))),
                    entry("B", List.of(text(Job::getBatchHost))),
                    entry("c", List.of(number(JobText::leastCpusPerNode))),
                    entry("C", List.of(number(job -> unsigned(job.getNumCpus())))),
                    entry("d", List.of(number(job -> job.getRequest().getTmpDiskMb()))),
                    entry("D", List.of(number(job -> unsigned(job.getNumNodes())))),
                    entry("e", List.of(number(job -> orLast(job.getEndMicros())))),
                    entry("f", List.of(text(job -> job.getRequest().getConstraint()))),
                    entry("F", List.of(number(JobOrder::id))),
                    entry("g", List.of(text(Job::getGroupName))),
                    entry("G", List.of(number(job -> unsigned(job.getGid())))),
                    entry("i", List.of(number(JobOrder::id))),
                    entry("j", List.of(text(Job::getName))),
                    entry("K", List.of(number(JobOrder::task))),
                    entry("l", List.of(number(job -> limit(job.getTimeLimit())))),
                    entry(
                            "L",
                            List.of(
                                    number(job ->
                                            limit(job.getTimeLimit()) - job.getRunSeconds()))),
                    entry("m", List.of(number(JobOrder::memory))),
                    entry("M", List.of(number(Job::getRunSeconds))),
                    entry("N", List.of(text(Job::getNodeList))),
                    entry(
                            "p",
                            List.of(
                                    number(job -> unsigned(job.getPriority())),
                                    number(JobOrder::startFirst),
                                    number(JobOrder::age))),
                    entry("P", List.of(text(Job::getPartition))),
                    entry("q", List.of(text(Job::getQos))),
                    entry("Q", List.of(number(job -> unsigned(job.getPriority())))),
                    entry("r", List.of(text(Job::getReason))),
                    entry("R", List.of(text(Job::getReason))),
                    entry("S", List.of(number(job -> orLast(job.getStartMicros())))),
                    entry("t", List.of(number(JobOrder::state))),
                    entry("T", List.of(number(JobOrder::state))),
                    entry("u", List.of(text(Job::getUserName))),
                    entry("U", List.of(number(job -> unsigned(job.getUid())))),
                    entry("v", List.of(text(Job::getReservation))),
                    entry("V", List.of(number(Job::getSubmitMicros))),
                    entry("y", List.of(number(Job::getNice))),
                    entry("Z", List.of(text(Job::getWorkDir))));

    private static final Map<String, List<Key<Step>>> STEP_KEYS =
            Map.ofEntries(
                    entry(
                            "i",
                            List.of(
                                    number(step -> unsigned(step.getJobId())),
                                    number(step -> unsigned(step.getStepId())))),
                    entry("j", List.of(text(Step::getName))),
                    entry("l", List.of(number(step -> limit(step.getTimeLimit())))),
                    entry("M", List.of(number(Step::getRunSeconds))),
                    entry("N", List.of(text(Step::getNodeList))),
                    entry("P", List.of(text(Step::getPartition))),
                    entry("S", List.of(number(Step::getStartMicros))),
                    entry("u", List.of(text(Step::getUserName))),
                    entry("U", List.of(number(step -> unsigned(step.getUid())))));

    private JobOrder() {}

    static SortKeys<Job> jobs(String specification) {
        return SortKeys.parse(specification, KEYS);
    }

    /// As [#jobs], with `#P` by the configuration.
    static SortKeys<Job> jobs(String specification, List<Partition> configured) {
        var ranks = new HashMap<String, Long>();
        configured.forEach(partition -> ranks.put(partition.getName(), (long) ranks.size()));
        var keys = new HashMap<>(KEYS);
        keys.put(
                "#P",
                List.of(
                        number(job ->
                                ranks.getOrDefault(job.getPartition(), (long) ranks.size()))));
        return SortKeys.parse(specification, keys);
    }

    static SortKeys<Step> steps(String specification) {
        return SortKeys.parse(specification, STEP_KEYS);
    }

    /// By the number users know a job by; the waiting tasks of an array follow those that started.
    private static long id(Job job) {
        var minor = task(job);
        if (job.getArrayJobId() != 0) {
            return unsigned(job.getArrayJobId()) << 32 | minor;
        }
        if (job.getHetJobId() != 0) {
            return unsigned(job.getHetJobId()) << 32 | job.getHetOffset();
        }
        return unsigned(job.getJobId()) << 32;
    }

    private static long task(Job job) {
        return job.hasArrayTaskId() ? unsigned(job.getArrayTaskId()) : 0xffff_ffffL;
    }

    private static int state(Job job) {
        return StateWords.rank(job.getState());
    }

    private static long memory(Job job) {
        var request = job.getRequest();
        return request.hasMemPerCpuMb() ? request.getMemPerCpuMb() : request.getMemPerNodeMb();
    }

    private static long limit(TimeLimit limit) {
        return limit.hasMinutes() ? unsigned(limit.getMinutes()) * 60 : Long.MAX_VALUE / 2;
    }

    private static long orLast(long micros) {
        return micros == 0 ? Long.MAX_VALUE : micros;
    }

    /// Among jobs of one priority (descending) Slurm lists the latest start first, in whole
    /// seconds, and those without any last.
    private static long startFirst(Job job) {
        return job.getStartMicros() / 1_000_000;
    }

    /// … those without a start from the youngest to the oldest, those with one the other way round.
    /// Tasks of an array that are still one record stay in the order of their numbers.
    private static long age(Job job) {
        if (job.getStartMicros() != 0) {
            return -id(job);
        }
        var isRestOfArray = job.getArrayJobId() != 0 && job.getArrayJobId() == job.getJobId();
        return isRestOfArray ? id(job) | 0xffff_ffffL : id(job);
    }
}
