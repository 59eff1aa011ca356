package dev.spur.agent.launch;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.step.StepPlan;
import dev.spur.agent.step.TaskPlan.Stdio;
import dev.spur.api.v1.OpenMode;
import dev.spur.runtime.host.User;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Compared with `env` in jobs of Slurm 22.05.
final class StepEnvironmentTest {
    private final StepPlanner planner =
            new StepPlanner(
                    new NodeProfile(
                            "node1",
                            "/var/lib/slurm/slurm.conf",
                            "127.0.0.1:17000",
                            false,
                            "inherit",
                            256,
                            List.of()),
                    _ -> Optional.empty());

    @Test
    void describesAJobToItsScriptAsSlurmDoes() {
        var launch =
                Launches.batch(7, "#!/bin/sh\n")
                        .clearJobNodes()
                        .addJobNodes(Launches.share("node1", 4, 2, 0))
                        .addJobNodes(Launches.share("node2", 4, 2, 0))
                        .setTasksGiven(true)
                        .setCpusPerTaskGiven(true)
                        .setCpusPerTask(2)
                        .setMemPerNodeMb(200);

        assertThat(variables(planner.batch(launch.build())))
                .containsExactlyInAnyOrder(
                        """
                        CUDA_VISIBLE_DEVICES=0
                        GPU_DEVICE_ORDINAL=0
                        ROCR_VISIBLE_DEVICES=0
                        SLURMD_NODENAME=node1
                        SLURM_CLUSTER_NAME=anchor0
                        SLURM_CONF=/var/lib/slurm/slurm.conf
                        SLURM_CPUS_ON_NODE=4
                        SLURM_CPUS_PER_TASK=2
                        SLURM_GPUS_ON_NODE=1
                        SLURM_GTIDS=0
                        SLURM_JOBID=7
                        SLURM_JOB_ACCOUNT=physics
                        SLURM_JOB_CPUS_PER_NODE=4(x2)
                        SLURM_JOB_GID=54321
                        SLURM_JOB_GPUS=0
                        SLURM_JOB_ID=7
                        SLURM_JOB_NAME=envjob
                        SLURM_JOB_NODELIST=node[1-2]
                        SLURM_JOB_NUM_NODES=2
                        SLURM_JOB_PARTITION=debug
                        SLURM_JOB_QOS=normal
                        SLURM_JOB_UID=54321
                        SLURM_JOB_USER=alice
                        SLURM_LOCALID=0
                        SLURM_MEM_PER_NODE=200
                        SLURM_NNODES=2
                        SLURM_NODEID=0
                        SLURM_NODELIST=node[1-2]
                        SLURM_NODE_ALIASES=(null)
                        SLURM_NPROCS=4
                        SLURM_NTASKS=4
                        SLURM_PRIO_PROCESS=0
                        SLURM_PROCID=0
                        SLURM_SUBMIT_DIR=/home/alice
                        SLURM_SUBMIT_HOST=vm
                        SLURM_TASKS_PER_NODE=2(x2)
                        SLURM_TOPOLOGY_ADDR=node1
                        SLURM_TOPOLOGY_ADDR_PATTERN=node
                        SLURM_WORKING_CLUSTER=anchor0:127.0.0.1:17000:9728:109
                        TMPDIR=/tmp
                        """
                                .split("\n"));
    }

    @Test
    void describesAnArrayTask() {
        var launch =
                Launches.batch(12, "#!/bin/sh\n")
                        .setArrayJobId(10)
                        .setArrayTaskId(5)
                        .setArrayTaskCount(3)
                        .setArrayTaskMin(3)
                        .setArrayTaskMax(7)
                        .setArrayTaskStep(2);

        var plan = planner.batch(launch.build());

        assertThat(variables(plan))
                .contains(
                        "SLURM_ARRAY_JOB_ID=10",
                        "SLURM_ARRAY_TASK_COUNT=3",
                        "SLURM_ARRAY_TASK_ID=5",
                        "SLURM_ARRAY_TASK_MAX=7",
                        "SLURM_ARRAY_TASK_MIN=3",
                        "SLURM_ARRAY_TASK_STEP=2",
                        "SLURM_JOB_ID=12");
        assertThat(plan.tasks().getFirst().output())
                .isEqualTo(new Stdio.Truncate("/tmp/slurm-10_5.out"));
        assertThat(plan.tasks().getFirst().error()).isEqualTo(new Stdio.SameAsOutput());
    }

    @Test
    void describesAStepToItsTasks() {
        var launch = Launches.step(8, 0, 3);
        var run =
                Launches.run(launch, "true")
                        .setLabel(true)
                        .setLaunchNodeAddress("127.0.0.1")
                        .setCommPort(38639);

        var plan = planner.step(launch.build(), run.build());

        assertThat(variables(plan))
                .contains(
                        "SLURM_CPUS_ON_NODE=3",
                        "SLURM_GTIDS=0,1,2",
                        "SLURM_LABELIO=1",
                        "SLURM_LAUNCH_NODE_IPADDR=127.0.0.1",
                        "SLURM_NTASKS=3",
                        "SLURM_NPROCS=3",
                        "SLURM_SRUN_COMM_HOST=127.0.0.1",
                        "SLURM_SRUN_COMM_PORT=38639",
                        "SLURM_STEPID=0",
                        "SLURM_STEP_ID=0",
                        "SLURM_STEP_LAUNCHER_PORT=38639",
                        "SLURM_STEP_NODELIST=node1",
                        "SLURM_STEP_NUM_NODES=1",
                        "SLURM_STEP_NUM_TASKS=3",
                        "SLURM_STEP_TASKS_PER_NODE=3",
                        "SLURM_UMASK=0022",
                        "SRUN_DEBUG=3");
        assertThat(plan.tasks().get(2).environment())
                .contains("SLURM_PROCID=2", "SLURM_LOCALID=2", "SLURM_NODEID=0");
    }

    @Test
    void givesEachTaskItsOwnGpusWhenAskedTo() {
        var launch =
                Launches.step(8, 0, 2)
                        .setGpusPerTask(2)
                        .setStepShare(Launches.share("node1", 2, 2, 0, 1, 2, 3));

        var plan = planner.step(launch.build(), Launches.run(launch, "true").build());

        assertThat(plan.tasks().get(1).environment()).contains("CUDA_VISIBLE_DEVICES=2,3");
    }

    @Test
    void aStepThatKeepsItsEnvironmentCountsTheTasksOfWhoStartedIt() {
        var launch = Launches.step(8, 0, 1);
        var run = Launches.run(launch, "true").setEnvironment(Launches.bytes("SLURM_NTASKS=6\0"));

        assertThat(variables(planner.step(launch.build(), run.setPreserveEnv(true).build())))
                .contains("SLURM_NTASKS=6");
        assertThat(variables(planner.step(launch.build(), run.setPreserveEnv(false).build())))
                .contains("SLURM_NTASKS=1");
    }

    @Test
    void keepsBytesThatAreNoText() {
        var launch =
                Launches.batch(7, "#!/bin/sh\n")
                        .setEnvironment(
                                com.google.protobuf.ByteString.copyFrom(
                                        new byte[] {'X', '=', (byte) 0xff, 0}));

        assertThat(planner.batch(launch.build()).environment()).contains("X=\u00ff");
    }

    @Test
    void tellsTheModeOfItsFilesSoThatSrunInsideOpensThemAlike() {
        assertThat(variables(planner.batch(Launches.batch(7, "").build())))
                .noneMatch(variable -> variable.startsWith("SLURM_OPEN_MODE"));
        assertThat(
                        variables(
                                planner.batch(
                                        Launches.batch(7, "")
                                                .setOpenMode(OpenMode.OPEN_MODE_APPEND)
                                                .build())))
                .contains("SLURM_OPEN_MODE=a");
        assertThat(
                        variables(
                                planner.batch(
                                        Launches.batch(7, "")
                                                .setOpenMode(OpenMode.OPEN_MODE_TRUNCATE)
                                                .build())))
                .contains("SLURM_OPEN_MODE=t");
    }

    @Test
    void keepsTheCallersCountsIfAskedTo() {
        var launch =
                Launches.step(8, 0, 1)
                        .addJobNodes(Launches.share("node2", 1, 1))
                        .setTasksGiven(true)
                        .setTasks(6);

        assertThat(variables(planner.step(launch.build(), Launches.run(launch, "env").build())))
                .contains("SLURM_NNODES=1", "SLURM_NTASKS=1");
        assertThat(
                        variables(
                                planner.step(
                                        launch.build(),
                                        Launches.run(launch, "env").setPreserveEnv(true).build())))
                .contains("SLURM_NNODES=2", "SLURM_NTASKS=6");
    }

    @Test
    void givesEachTaskTheNumbersOfItsOwnGpus() {
        var launch =
                Launches.step(8, 0, 2)
                        .setGpusPerTask(2)
                        .setStepShare(Launches.share("node1", 2, 2, 0, 1, 2, 3));

        var tasks = planner.step(launch.build(), Launches.run(launch, "env").build()).tasks();

        assertThat(tasks.get(0).environment())
                .contains("SLURM_STEP_GPUS=0,1", "CUDA_VISIBLE_DEVICES=0,1");
        assertThat(tasks.get(1).environment())
                .contains("SLURM_STEP_GPUS=2,3", "CUDA_VISIBLE_DEVICES=2,3");
    }

    @Test
    void tasksThatShareAGpuSeeItAlone() {
        var launch =
                Launches.step(8, 0, 4)
                        .setTasksPerGpu(2)
                        .setStepShare(Launches.share("node1", 4, 4, 5, 7));

        var tasks = planner.step(launch.build(), Launches.run(launch, "env").build()).tasks();

        for (var local = 0; local < 4; local++) {
            var own = local < 2 ? 5 : 7;
            assertThat(tasks.get(local).environment())
                    .contains("SLURM_STEP_GPUS=" + own, "CUDA_VISIBLE_DEVICES=" + own);
        }
    }

    @Test
    void scriptIsToldTheTasksThatItsGpusMean() {
        var launch =
                Launches.batch(7, "")
                        .clearJobNodes()
                        .addJobNodes(Launches.share("node1", 2, 2, 0, 1, 2, 3))
                        .setTasksGiven(true);

        assertThat(variables(planner.batch(launch.build())))
                .contains("SLURM_NTASKS=2", "SLURM_NPROCS=2");
    }

    @Test
    void limitOfTheStepItselfIsPlannedAsItCame() {
        var launch = Launches.step(8, 0, 1).setStepLimitMillis(300);
        var run = Launches.run(launch, "true").build();

        assertThat(planner.step(launch.build(), run).stepLimit()).isEqualTo(Duration.ofMillis(300));
        assertThat(planner.step(launch.clearStepLimitMillis().build(), run).stepLimit()).isNull();
    }

    @Test
    void showsEachTaskTheGpusItIsBoundTo() {
        var launch =
                Launches.step(8, 0, 2)
                        .setGpusPerTask(2)
                        .setStepShare(Launches.share("node1", 2, 2, 0, 1, 2, 3));

        var tasks =
                planner.step(
                                launch.build(),
                                Launches.run(launch, "env").setGpuBind("map_gpu:3,1").build())
                        .tasks();

        assertThat(tasks.get(0).environment()).contains("CUDA_VISIBLE_DEVICES=3");
        assertThat(tasks.get(1).environment()).contains("CUDA_VISIBLE_DEVICES=1");
    }

    @Test
    void asksALoginShellForTheEnvironmentIfTheJobWantsThat() {
        var alice = new User(54_321, 54_321, "alice", "/home/alice", "/bin/zsh");
        var here =
                new StepPlanner(
                        new NodeProfile("node1", "", "", false, "inherit", 0, List.of()),
                        _ -> Optional.of(alice));
        var launch = Launches.batch(7, "").clearEnvironment().clearEnvironmentSha256();

        var login = here.batch(launch.setGetUserEnv(true).build());

        assertThat(requireNonNull(login.login()).shell()).isEqualTo("/bin/zsh");
        assertThat(login.login().account()).contains("HOME=/home/alice", "LOGNAME=alice");
        assertThat(login.environment()).noneMatch(variable -> variable.startsWith("PATH="));
        assertThat(here.batch(launch.setGetUserEnv(false).build()).login()).isNull();
    }

    private static List<String> variables(StepPlan plan) {
        var all = new ArrayList<>(plan.environment());
        all.addAll(plan.tasks().getFirst().environment());
        return all.stream()
                .filter(variable -> variable.matches("(SLURM|SRUN|CUDA|GPU|ROCR|TMPDIR).*"))
                .toList();
    }
}
