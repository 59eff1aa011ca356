package dev.spur.agent.launch;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.GresAllocation;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepNode;
import dev.spur.model.StepId;
import dev.spur.runtime.identity.NodeKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/// Launches as a controller makes them.
public final class Launches {
    public static final NodeKey KEY = NodeKey.of(new byte[32]);

    private Launches() {}

    /// A batch job of alice's on one node.
    public static StepLaunch.Builder batch(int job, String script) {
        return job(job).setStepId(StepId.BATCH.value())
                .setScript(bytes(script))
                .setScriptSha256(sha256(bytes(script)))
                .setEnvironment(bytes("PATH=/usr/bin:/bin\0HOME=/tmp\0USER=alice\0SHELL=/bin/sh\0"))
                .setEnvironmentSha256(
                        sha256(bytes("PATH=/usr/bin:/bin\0HOME=/tmp\0USER=alice\0SHELL=/bin/sh\0")))
                .addJobNodes(share("node1", 1, 1));
    }

    /// A step of job 8 with `tasks` tasks on node1.
    public static StepLaunch.Builder step(int job, int step, int tasks) {
        var node = StepNode.newBuilder().setNode("node1").setCpus(tasks);
        for (var task = 0; task < tasks; task++) {
            node.addTaskIds(task);
        }
        return job(job).setStepId(step)
                .setStepTasks(tasks)
                .addStepNodes(node)
                .addJobNodes(share("node1", tasks, tasks))
                .setStepShare(share("node1", tasks, tasks));
    }

    private static StepLaunch.Builder job(int job) {
        return StepLaunch.newBuilder()
                .setCluster("anchor0")
                .setJobId(job)
                .setNode("node1")
                .setUid(54_321)
                .setGid(54_321)
                .setUserName("alice")
                .setJobName("envjob")
                .setPartition("debug")
                .setAccount("physics")
                .setQos("normal")
                .setRemainingMillis(-1)
                .setWorkDir("/tmp")
                .setSubmitDir("/home/alice")
                .setSubmitHost("vm")
                .setUmask(022)
                .setKillWaitSeconds(5);
    }

    public static NodeAllocation share(String node, int cpus, int tasks, Integer... gpus) {
        var share = NodeAllocation.newBuilder().setNode(node).setCpus(cpus).setTasks(tasks);
        if (gpus.length > 0) {
            share.addGres(GresAllocation.newBuilder().setName("gpu").addAllIndices(List.of(gpus)));
        }
        return share.build();
    }

    public static SignedLaunch signed(StepLaunch.Builder launch) {
        var bytes = launch.build().toByteArray();
        return SignedLaunch.newBuilder()
                .setLaunch(ByteString.copyFrom(bytes))
                .setSignature(ByteString.copyFrom(KEY.sign(bytes)))
                .setNode("node1")
                .build();
    }

    public static RunStep.Builder run(StepLaunch.Builder launch, String... command) {
        return RunStep.newBuilder()
                .setLaunch(signed(launch))
                .addAllArgv(List.of(command))
                .setEnvironment(bytes("PATH=/usr/bin:/bin\0HOME=/tmp\0USER=alice\0SHELL=/bin/sh\0"))
                .setCwd("/tmp")
                .setUmask(022)
                .setStdinTask(-1);
    }

    public static ByteString bytes(String text) {
        return ByteString.copyFrom(text, StandardCharsets.UTF_8);
    }

    private static ByteString sha256(ByteString content) {
        try {
            return ByteString.copyFrom(
                    MessageDigest.getInstance("SHA-256").digest(content.toByteArray()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
