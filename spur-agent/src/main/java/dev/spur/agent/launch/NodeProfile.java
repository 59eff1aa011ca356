package dev.spur.agent.launch;

import java.util.List;

/// What planning a step needs to know of its node.
///
/// @param configFile the cluster's configuration, told to jobs as `SLURM_CONF`
/// @param controller `host:port` of the controller
/// @param bindsCpus whether the node's cpu numbers are those of the machine; not so for pretend
///   nodes
/// @param memlock the limit on locked memory that jobs get, `inherit` for the submitter's
/// @param gpuFiles the device files of the node's GPUs by index, empty for pretend ones
public record NodeProfile(
        String node,
        String configFile,
        String controller,
        boolean bindsCpus,
        String memlock,
        List<String> gpuFiles) {
    public NodeProfile {
        gpuFiles = List.copyOf(gpuFiles);
    }
}
