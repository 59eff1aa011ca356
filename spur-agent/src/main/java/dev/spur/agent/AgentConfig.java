package dev.spur.agent;

import dev.spur.agent.device.Devices;
import dev.spur.agent.launch.Commands;
import dev.spur.agent.registration.NodeFacts;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What one agent needs to know. Several can run in one JVM with their own names, ports and spools.
///
/// @param node the node's name
/// @param controllers in the order of trying
/// @param listen where the step service listens; port 0 takes any
/// @param address the host name or address that others reach this node by
/// @param spool the agent's own directory
/// @param supervisor the program `spur-zygote`
/// @param identity the node's certificate; null without TLS
/// @param hardware what the node has, or pretends to have
/// @param pretend whether the numbers of cpus mean nothing on this machine
/// @param limits whether steps get control groups
/// @param configFile told to jobs as `SLURM_CONF`
/// @param memlock the limit on locked memory that jobs get
/// @param maxProcessesPerCpu most processes and threads of a job for each of its cpus, 0 for any
/// @param commands which sessions find here
public record AgentConfig(
        String node,
        List<HostAndPort> controllers,
        HostAndPort listen,
        String address,
        Path spool,
        Path supervisor,
        @Nullable HostIdentity identity,
        NodeFacts.Hardware hardware,
        Devices devices,
        Map<String, String> labels,
        boolean pretend,
        boolean limits,
        Path configFile,
        String memlock,
        int maxProcessesPerCpu,
        Commands commands) {

    public AgentConfig {
        controllers = List.copyOf(controllers);
        labels = Map.copyOf(labels);
        if (controllers.isEmpty()) {
            throw new IllegalArgumentException("an agent needs the address of a controller");
        }
    }
}
