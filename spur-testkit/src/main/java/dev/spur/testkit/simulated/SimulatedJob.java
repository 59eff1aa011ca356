package dev.spur.testkit.simulated;

import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TimeLimit;
import java.time.Duration;

/// A batch job, as `sbatch` would submit it, and what its script will do: one CPU for a minute,
/// with a limit of an hour, until told otherwise.
public final class SimulatedJob {
    private final JobSpec.Builder spec =
            JobSpec.newBuilder()
                    .setName("job")
                    .setKind(JobKind.JOB_KIND_BATCH)
                    .setWorkDir("/")
                    .setTimeLimit(minutes(Duration.ofHours(1)));
    private final ResourceRequest.Builder request = ResourceRequest.newBuilder();
    private Duration duration = Duration.ofMinutes(1);
    private int exitCode;
    private boolean ignoresTerm;

    private SimulatedJob() {}

    public static SimulatedJob job() {
        return new SimulatedJob();
    }

    public SimulatedJob nodes(int count) {
        request.setMinNodes(count).setMaxNodes(count);
        return this;
    }

    public SimulatedJob on(String nodes) {
        request.setNodeList(nodes);
        return this;
    }

    public SimulatedJob cpus(int count) {
        request.setCpusPerTask(count).setCpusPerTaskGiven(true);
        return this;
    }

    public SimulatedJob memory(long megabytes) {
        request.setMemPerNodeMb(megabytes);
        return this;
    }

    /// On each node.
    public SimulatedJob gpus(int count) {
        request.setGresPerNode("gpu:" + count);
        return this;
    }

    public SimulatedJob limit(Duration limit) {
        spec.setTimeLimit(minutes(limit));
        return this;
    }

    public SimulatedJob array(String indices) {
        spec.setArray(indices);
        return this;
    }

    public SimulatedJob reservation(String name) {
        spec.setReservation(name);
        return this;
    }

    public SimulatedJob partition(String name) {
        spec.addPartitions(name);
        return this;
    }

    public SimulatedJob dependingOn(String dependency) {
        spec.setDependency(dependency);
        return this;
    }

    public SimulatedJob noRequeue() {
        spec.setRequeue(false);
        return this;
    }

    // ---- what the script does ----

    public SimulatedJob runs(Duration forSoLong) {
        duration = forSoLong;
        return this;
    }

    public SimulatedJob exits(int code) {
        exitCode = code;
        return this;
    }

    public SimulatedJob ignoresTerm() {
        ignoresTerm = true;
        return this;
    }

    SubmitJobRequest request(String requestId) {
        return SubmitJobRequest.newBuilder()
                .setRequestId(requestId)
                .setSpec(spec.clone().addComponents(request))
                .setScript(new SimulatedProgram(duration, exitCode, ignoresTerm).script())
                .build();
    }

    private static TimeLimit minutes(Duration limit) {
        return TimeLimit.newBuilder().setMinutes((int) limit.toMinutes()).build();
    }
}
