package dev.spur.testkit.simulated;

import dev.spur.api.v1.NodeGres;
import java.util.List;
import java.util.stream.IntStream;

/// How many nodes a simulated cluster has, and what each of them has: `nodes(4).gpus(8)`. They are
/// called `node1`, `node2` and so on; controllers, of which there is one until told otherwise,
/// `controller1` and so on.
public record SimulatedNodes(
        int count, int cpus, long memoryMb, int gpus, boolean leased, int controllers) {
    public static SimulatedNodes nodes(int count) {
        return new SimulatedNodes(count, 16, 64_000, 0, false, 1);
    }

    public SimulatedNodes cpus(int each) {
        return new SimulatedNodes(count, each, memoryMb, gpus, leased, controllers);
    }

    public SimulatedNodes memory(long megabytesEach) {
        return new SimulatedNodes(count, cpus, megabytesEach, gpus, leased, controllers);
    }

    public SimulatedNodes gpus(int each) {
        return new SimulatedNodes(count, cpus, memoryMb, each, leased, controllers);
    }

    /// Under `lost_node = "lease_kill"`, with a lease of five minutes.
    public SimulatedNodes leaseKill() {
        return new SimulatedNodes(count, cpus, memoryMb, gpus, true, controllers);
    }

    public SimulatedNodes controllers(int number) {
        return new SimulatedNodes(count, cpus, memoryMb, gpus, leased, number);
    }

    List<String> controllerNames() {
        return IntStream.rangeClosed(1, controllers)
                .mapToObj(number -> "controller" + number)
                .toList();
    }

    List<String> names() {
        return IntStream.rangeClosed(1, count).mapToObj(number -> "node" + number).toList();
    }

    List<NodeGres> wireGres(String type) {
        return gpus == 0
                ? List.of()
                : List.of(
                        NodeGres.newBuilder().setName("gpu").setType(type).setCount(gpus).build());
    }

    /// The cluster's spur.conf.
    String configuration(SimulatedRules rules) {
        return """
        cluster_name = "simulated"

        [controller]
        min_job_age_secs = %d
        max_job_count = %d
        lost_node = "%s"
        lease_secs = %d
        kill_wait_secs = %d

        [scheduler]
        interval_secs = 10

        [[partitions]]
        name = "main"
        default = true
        nodes = "ALL"

        [[partitions]]
        name = "other"
        nodes = "%s"

        [[nodes]]
        names = "node[1-%d]"
        cpus = %d
        memory_mb = %d
        %s
        """
                .formatted(
                        rules.minJobAgeSecs(),
                        rules.maxJobs(),
                        rules.leased() ? "lease_kill" : "wait",
                        rules.leaseSecs(),
                        rules.killWaitSecs(),
                        rules.otherNodes(),
                        count,
                        cpus,
                        memoryMb,
                        gpus == 0 ? "" : "gres = [\"gpu:%d\"]".formatted(gpus));
    }
}
