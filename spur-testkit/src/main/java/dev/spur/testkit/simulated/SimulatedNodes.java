package dev.spur.testkit.simulated;

import dev.spur.api.v1.NodeGres;
import java.util.List;
import java.util.stream.IntStream;

/// How many nodes a simulated cluster has, and what each of them has: `nodes(4).gpus(8)`. They are
/// called `node1`, `node2` and so on.
public record SimulatedNodes(int count, int cpus, long memoryMb, int gpus, boolean leased) {
    public static SimulatedNodes nodes(int count) {
        return new SimulatedNodes(count, 16, 64_000, 0, false);
    }

    public SimulatedNodes cpus(int each) {
        return new SimulatedNodes(count, each, memoryMb, gpus, leased);
    }

    public SimulatedNodes memory(long megabytesEach) {
        return new SimulatedNodes(count, cpus, megabytesEach, gpus, leased);
    }

    public SimulatedNodes gpus(int each) {
        return new SimulatedNodes(count, cpus, memoryMb, each, leased);
    }

    /// Under `lost_node = "lease_kill"`, with a lease of five minutes.
    public SimulatedNodes leaseKill() {
        return new SimulatedNodes(count, cpus, memoryMb, gpus, true);
    }

    List<String> names() {
        return IntStream.rangeClosed(1, count).mapToObj(number -> "node" + number).toList();
    }

    List<NodeGres> wireGres() {
        return gpus == 0
                ? List.of()
                : List.of(NodeGres.newBuilder().setName("gpu").setCount(gpus).build());
    }

    /// The cluster's spur.conf. Ended jobs stay known: specifications look at them.
    String configuration() {
        return """
        cluster_name = "simulated"

        [controller]
        min_job_age_secs = 8640000
        lost_node = "%s"

        [scheduler]
        interval_secs = 10

        [[partitions]]
        name = "main"
        default = true
        nodes = "ALL"

        [[nodes]]
        names = "node[1-%d]"
        cpus = %d
        memory_mb = %d
        %s
        """
                .formatted(
                        leased ? "lease_kill" : "wait",
                        count,
                        cpus,
                        memoryMb,
                        gpus == 0 ? "" : "gres = [\"gpu:%d\"]".formatted(gpus));
    }
}
