package dev.spur.cli.logs;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The tasks of a job array, as they are now.
final class ArrayTasks {
    private final ControllerClient controller;
    private final String array;

    private ArrayTasks(ControllerClient controller, String array) {
        this.controller = controller;
        this.array = array;
    }

    /// Empty if that is no array as a whole.
    static Optional<ArrayTasks> of(ControllerClient controller, String id) {
        if (!id.matches("\\d+")) {
            return Optional.empty();
        }
        var tasks = new ArrayTasks(controller, id);
        return tasks.list().stream().anyMatch(job -> job.getArrayJobId() != 0)
                ? Optional.of(tasks)
                : Optional.empty();
    }

    String array() {
        return array;
    }

    List<Job> list() {
        var request = ListJobsRequest.newBuilder().addIds(array).addStates("ALL").build();
        var jobs = new ArrayList<Job>();
        controller.<ListJobsReply>each(
                stub -> stub.listJobs(request), page -> jobs.addAll(page.getJobsList()));
        return jobs.stream()
                .filter(job ->
                        Integer.toUnsignedString(job.getArrayJobId()).equals(array)
                                || Integer.toUnsignedString(job.getJobId()).equals(array))
                .sorted(Comparator.comparingInt(Job::getArrayTaskId))
                .toList();
    }
}
