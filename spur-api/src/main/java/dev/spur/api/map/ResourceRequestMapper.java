package dev.spur.api.map;

import dev.spur.model.MemoryRequest;
import dev.spur.model.ResourceRequest;
import dev.spur.model.Sharing;

public final class ResourceRequestMapper {
    private ResourceRequestMapper() {}

    /// @param overcommit a property of the whole job on the wire, of a request in the model
    public static ResourceRequest toModel(
            dev.spur.api.v1.ResourceRequest wire, boolean overcommit) {
        return new ResourceRequest(
                count(wire.getMinNodes(), "nodes"),
                count(wire.getMaxNodes(), "nodes"),
                count(wire.getTasks(), "tasks"),
                wire.getTasksGiven(),
                count(wire.getCpusPerTask(), "CPUs per task"),
                wire.getCpusPerTaskGiven(),
                count(wire.getTasksPerNode(), "tasks per node"),
                count(wire.getTasksPerSocket(), "tasks per socket"),
                count(wire.getTasksPerCore(), "tasks per core"),
                count(wire.getTasksPerGpu(), "tasks per GPU"),
                memory(wire),
                wire.getTmpDiskMb(),
                count(wire.getMinCpusPerNode(), "CPUs per node"),
                wire.getGresPerNode(),
                wire.getGresPerJob(),
                wire.getGresPerTask(),
                wire.getGresPerSocket(),
                count(wire.getCpusPerGpu(), "CPUs per GPU"),
                wire.getConstraint(),
                wire.getPrefer(),
                wire.getNodeList(),
                wire.getExclude(),
                sharing(wire.getSharing()),
                wire.getContiguous(),
                wire.getDistribution(),
                count(wire.getSocketsPerNode(), "sockets per node"),
                count(wire.getCoresPerSocket(), "cores per socket"),
                count(wire.getThreadsPerCore(), "threads per core"),
                wire.getGpuBind(),
                wire.getCpuBind(),
                wire.getMemBind(),
                wire.getHint(),
                wire.getSwitches(),
                wire.getUseMinNodes(),
                overcommit);
    }

    public static dev.spur.api.v1.ResourceRequest toWire(ResourceRequest request) {
        var wire =
                dev.spur.api.v1.ResourceRequest.newBuilder()
                        .setMinNodes(request.minNodes())
                        .setMaxNodes(request.maxNodes())
                        .setTasks(request.tasks())
                        .setTasksGiven(request.tasksGiven())
                        .setCpusPerTask(request.cpusPerTask())
                        .setCpusPerTaskGiven(request.cpusPerTaskGiven())
                        .setTasksPerNode(request.tasksPerNode())
                        .setTasksPerSocket(request.tasksPerSocket())
                        .setTasksPerCore(request.tasksPerCore())
                        .setTasksPerGpu(request.tasksPerGpu())
                        .setTmpDiskMb(request.tmpDiskMebibytes())
                        .setMinCpusPerNode(request.minCpusPerNode())
                        .setGresPerNode(request.gresPerNode())
                        .setGresPerJob(request.gresPerJob())
                        .setGresPerTask(request.gresPerTask())
                        .setGresPerSocket(request.gresPerSocket())
                        .setCpusPerGpu(request.cpusPerGpu())
                        .setConstraint(request.constraint())
                        .setPrefer(request.prefer())
                        .setNodeList(request.nodeList())
                        .setExclude(request.exclude())
                        .setSharing(sharing(request.sharing()))
                        .setContiguous(request.contiguous())
                        .setDistribution(request.distribution())
                        .setSocketsPerNode(request.socketsPerNode())
                        .setCoresPerSocket(request.coresPerSocket())
                        .setThreadsPerCore(request.threadsPerCore())
                        .setGpuBind(request.gpuBind())
                        .setCpuBind(request.cpuBind())
                        .setMemBind(request.memBind())
                        .setHint(request.hint())
                        .setSwitches(request.switches())
                        .setUseMinNodes(request.useMinNodes());
        setMemory(wire, request.memory());
        return wire.build();
    }

    /// Only what a listing shows.
    public static dev.spur.api.v1.ResourceRequest toListing(ResourceRequest request) {
        var wire =
                dev.spur.api.v1.ResourceRequest.newBuilder()
                        .setMinCpusPerNode(request.minCpusPerNode())
                        .setCpusPerTask(request.cpusPerTask())
                        .setTmpDiskMb(request.tmpDiskMebibytes())
                        .setSharing(sharing(request.sharing()));
        if (!request.gresPerNode().isEmpty()) {
            wire.setGresPerNode(request.gresPerNode());
        }
        if (!request.gresPerJob().isEmpty()) {
            wire.setGresPerJob(request.gresPerJob());
        }
        if (!request.gresPerTask().isEmpty()) {
            wire.setGresPerTask(request.gresPerTask());
        }
        if (!request.constraint().isEmpty()) {
            wire.setConstraint(request.constraint());
        }
        if (!request.nodeList().isEmpty()) {
            wire.setNodeList(request.nodeList());
        }
        if (!request.exclude().isEmpty()) {
            wire.setExclude(request.exclude());
        }
        setMemory(wire, request.memory());
        return wire.build();
    }

    public static void setMemory(
            dev.spur.api.v1.ResourceRequest.Builder wire, MemoryRequest memory) {
        switch (memory) {
            case MemoryRequest.Unspecified() -> {}
            case MemoryRequest.WholeNode() -> wire.setMemPerNodeMb(0);
            case MemoryRequest.PerNode(var mebibytes) -> wire.setMemPerNodeMb(mebibytes);
            case MemoryRequest.PerCpu(var mebibytes) -> wire.setMemPerCpuMb(mebibytes);
            case MemoryRequest.PerGpu(var mebibytes) -> wire.setMemPerGpuMb(mebibytes);
        }
    }

    private static MemoryRequest memory(dev.spur.api.v1.ResourceRequest wire) {
        if (wire.hasMemPerGpuMb()) {
            return new MemoryRequest.PerGpu(wire.getMemPerGpuMb());
        }
        if (wire.hasMemPerCpuMb()) {
            return new MemoryRequest.PerCpu(wire.getMemPerCpuMb());
        }
        return wire.hasMemPerNodeMb() ? perNode(wire.getMemPerNodeMb()) : MemoryRequest.UNSPECIFIED;
    }

    /// Zero asks for all memory of each node.
    public static MemoryRequest perNode(long mebibytes) {
        return mebibytes == 0
                ? new MemoryRequest.WholeNode()
                : new MemoryRequest.PerNode(mebibytes);
    }

    /// Counts are unsigned on the wire; nobody asks for two billion of anything.
    static int count(int unsigned, String what) {
        if (unsigned < 0) {
            throw new IllegalArgumentException(
                    "%s %s are more than there can be"
                            .formatted(Integer.toUnsignedString(unsigned), what));
        }
        return unsigned;
    }

    private static Sharing sharing(dev.spur.api.v1.Sharing wire) {
        return switch (wire) {
            case SHARING_EXCLUSIVE -> Sharing.EXCLUSIVE;
            case SHARING_OVERSUBSCRIBE -> Sharing.OVERSUBSCRIBE;
            case SHARING_USER -> Sharing.USER;
            case SHARING_MCS -> Sharing.MCS;
            case SHARING_DEFAULT, UNRECOGNIZED -> Sharing.DEFAULT;
        };
    }

    private static dev.spur.api.v1.Sharing sharing(Sharing sharing) {
        return switch (sharing) {
            case DEFAULT -> dev.spur.api.v1.Sharing.SHARING_DEFAULT;
            case EXCLUSIVE -> dev.spur.api.v1.Sharing.SHARING_EXCLUSIVE;
            case OVERSUBSCRIBE -> dev.spur.api.v1.Sharing.SHARING_OVERSUBSCRIBE;
            case USER -> dev.spur.api.v1.Sharing.SHARING_USER;
            case MCS -> dev.spur.api.v1.Sharing.SHARING_MCS;
        };
    }
}
