package dev.spur.controller.job;

import dev.spur.engine.job.Job;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Jobs that somebody named one by one, to be found among very many: whoever names ten thousand
/// asks about each job once and not ten thousand times.
public final class Selectors {
    private final List<JobSelector> all;
    private final Map<JobId, List<JobSelector>> byJob;

    public Selectors(List<JobSelector> all) {
        this.all = List.copyOf(all);
        byJob = all.stream().collect(Collectors.groupingBy(JobSelector::job));
    }

    public static Selectors parse(List<String> texts) {
        return new Selectors(texts.stream().map(JobSelector::parse).toList());
    }

    public List<JobSelector> all() {
        return all;
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /// Those that mean this record, or some of the tasks that it stands for.
    public Stream<JobSelector> meaning(Job job) {
        var array = job.array();
        var own = named(job.id());
        var candidates =
                array == null || array.array().equals(job.id())
                        ? own
                        : Stream.concat(own, named(array.array()));
        return candidates.filter(id -> JobQuery.matches(id, job));
    }

    private Stream<JobSelector> named(JobId id) {
        return byJob.getOrDefault(id, List.of()).stream();
    }
}
