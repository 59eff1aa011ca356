package dev.spur.cli.submission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.OptionTable;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class JobEnvironmentTest {
    private static final Job JOB =
            Job.newBuilder()
                    .setJobId(13)
                    .setName("interactive")
                    .setPartition("debug")
                    .setAccount("physics")
                    .setQos("normal")
                    .setNodeList("node[1-2]")
                    .setNumNodes(2)
                    .setNumTasks(3)
                    .addNodes(NodeAllocation.newBuilder().setNode("node1").setCpus(2).setTasks(2))
                    .addNodes(NodeAllocation.newBuilder().setNode("node2").setCpus(1).setTasks(1))
                    .build();

    @Test
    void programInAllocationLearnsWhatItHas() throws Exception {
        var environment = environment("-N2", "-n3");

        assertThat(environment)
                .containsEntry("SLURM_CLUSTER_NAME", "anchor")
                .containsEntry("SLURM_JOB_ID", "13")
                .containsEntry("SLURM_JOBID", "13")
                .containsEntry("SLURM_JOB_NAME", "interactive")
                .containsEntry("SLURM_JOB_ACCOUNT", "physics")
                .containsEntry("SLURM_JOB_QOS", "normal")
                .containsEntry("SLURM_JOB_PARTITION", "debug")
                .containsEntry("SLURM_JOB_NODELIST", "node[1-2]")
                .containsEntry("SLURM_NODELIST", "node[1-2]")
                .containsEntry("SLURM_JOB_NUM_NODES", "2")
                .containsEntry("SLURM_NNODES", "2")
                .containsEntry("SLURM_NODE_ALIASES", "(null)")
                .containsEntry("SLURM_NTASKS", "3")
                .containsEntry("SLURM_NPROCS", "3")
                .containsEntry("SLURM_JOB_CPUS_PER_NODE", "2,1")
                .containsEntry("SLURM_TASKS_PER_NODE", "2,1")
                .containsEntry("SLURM_SUBMIT_DIR", "/home/alice");
    }

    @Test
    void tasksAreCountedByTheirGpus() throws Exception {
        assertThat(environment("--gpus=4", "--gpus-per-task=2")).containsEntry("SLURM_NTASKS", "2");
        assertThat(environment("-N2", "--gpus-per-node=4", "--gpus-per-task=2"))
                .containsEntry("SLURM_NTASKS", "4");
        assertThat(environment("--gpus=2", "--ntasks-per-gpu=3"))
                .containsEntry("SLURM_NTASKS", "6");
        assertThat(environment("-N2", "--gres=gpu:1", "--ntasks-per-gpu=2"))
                .containsEntry("SLURM_NTASKS", "4");
        assertThat(environment("--gpus=2")).doesNotContainKey("SLURM_NTASKS");
    }

    @Test
    void whatWasNotAskedForIsNotThere() throws Exception {
        assertThat(environment())
                .doesNotContainKeys(
                        "SLURM_NTASKS",
                        "SLURM_NPROCS",
                        "SLURM_CPUS_PER_TASK",
                        "SLURM_MEM_PER_NODE");
    }

    private static Map<String, String> environment(String... words) throws Exception {
        var in = RememberingInvocation.of("salloc", words);
        var arguments = new AtomicReference<Arguments>();
        OptionTable.of("")
                .options(JobOptions.shared("SALLOC_"))
                .run(
                        in,
                        parsed -> {
                            arguments.set(parsed);
                            return 0;
                        });
        return JobEnvironment.of(in, arguments.get(), "anchor", JOB);
    }
}
