package dev.spur.cli.sbatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.Sharing;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.submission.FakeController;
import dev.spur.model.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SbatchTest {
    private static final String SCRIPT = "#!/bin/sh\ntrue\n";

    private final FakeController controller = start();

    @AfterEach
    void stop() {
        controller.close();
    }

    @Test
    void scriptBecomesJobNamedAfterIt() throws Exception {
        var in = call("work/job.sh", "one", "two words").file("work/job.sh", SCRIPT);

        assertThat(sbatch(in)).isZero();

        assertThat(in.printed()).isEqualTo("Submitted batch job 7\n");
        var request = controller.onlySubmission();
        assertThat(request.getScript().toStringUtf8()).isEqualTo(SCRIPT);
        assertThat(request.getRequestId()).isNotEmpty();
        assertThat(request.getSpec().getName()).isEqualTo("job.sh");
        assertThat(request.getSpec().getKind()).isEqualTo(JobKind.JOB_KIND_BATCH);
        assertThat(request.getSpec().getCommand()).isEqualTo("/home/alice/work/job.sh");
        assertThat(request.getSpec().getScriptArgsList()).containsExactly("one", "two words");
        assertThat(request.getSpec().getWorkDir()).isEqualTo("/home/alice");
        assertThat(request.getSpec().getAllocSid()).isEqualTo(3383);
        assertThat(request.getSpec().getUmask()).isEqualTo(022);
        assertThat(request.getSpec().getRlimitsList())
                .extracting(limit -> limit.getName())
                .contains("NOFILE", "STACK");
    }

    @Test
    void jobRunsElsewhereButRemembersWhereItWasSubmitted() throws Exception {
        assertThat(sbatch(call("--chdir=/scratch", "--wrap", "true"))).isZero();

        var spec = controller.onlySubmission().getSpec();
        assertThat(spec.getWorkDir()).isEqualTo("/scratch");
        assertThat(spec.getSubmitDir()).isEqualTo("/home/alice");
    }

    @Test
    void scriptMayComeFromStandardInputOrAlongThePath() throws Exception {
        assertThat(sbatch(call().input(SCRIPT))).isZero();
        assertThat(sbatch(call("/dev/stdin").input(SCRIPT))).isZero();
        assertThat(
                        sbatch(
                                call("job.sh")
                                        .with("PATH", "/nowhere:/opt/bin")
                                        .file("/opt/bin/job.sh", SCRIPT)))
                .isZero();

        assertThat(controller.submitted)
                .extracting(request -> request.getSpec().getName())
                .containsExactly("sbatch", "stdin", "job.sh");
    }

    @Test
    void loginEnvironmentIsLoadedForWhoAsksOrExportsLessThanAll() throws Exception {
        assertThat(sbatch(call("--wrap", "true"))).isZero();
        assertThat(sbatch(call("--get-user-env", "--wrap", "true"))).isZero();
        assertThat(sbatch(call("--export=NONE", "--wrap", "true"))).isZero();
        assertThat(sbatch(call("--export=A=1", "--wrap", "true"))).isZero();
        assertThat(sbatch(call("--export=ALL", "--wrap", "true"))).isZero();

        assertThat(controller.submitted)
                .extracting(request -> request.getSpec().getGetUserEnv())
                .containsExactly(false, true, true, true, false);
    }

    @Test
    void wrappedCommandBecomesShellScript() throws Exception {
        assertThat(sbatch(call("--parsable", "--wrap", "echo a\necho b"))).isZero();

        var request = controller.onlySubmission();
        assertThat(request.getScript().toStringUtf8())
                .startsWith("#!/bin/sh\n")
                .endsWith("\necho a\necho b\n");
        assertThat(request.getSpec().getName()).isEqualTo("wrap");
    }

    @Test
    void parsablePrintsTheIdAndQuietNothing() throws Exception {
        assertThat(printed("--parsable", "--wrap", "true")).isEqualTo("7\n");
        assertThat(printed("--quiet", "--wrap", "true")).isEmpty();
    }

    @Test
    void whoWantsToKnowMoreIsToldWhatWasUnderstood() throws Exception {
        var in = call("-v", "-H", "-t5", "--wrap", "true");
        sbatch(in);

        assertThat(in.complained())
                .isEqualTo(
                        """
                        sbatch: defined options
                        sbatch: -------------------- --------------------
                        sbatch: hold                : set
                        sbatch: time                : 5
                        sbatch: verbose             : 1
                        sbatch: wrap                : true
                        sbatch: -------------------- --------------------
                        sbatch: end of defined options
                        """);
    }

    @Test
    void whoAsksForHelpWithDevicesIsAnsweredAndSubmitsNothing() throws Exception {
        assertThat(printed("--gres=help"))
                .isEqualTo("Valid gres options are:\ngpu[[:type]:count]\n");
    }

    @Test
    void optionsDescribeTheJob() throws Exception {
        sbatch(
                call(
                        "-J",
                        "train",
                        "-N2-4",
                        "--ntasks-per-node=8",
                        "-c2",
                        "--mem=4GB",
                        "-t",
                        "1-12",
                        "-p",
                        "gpu,debug",
                        "--gres=gpu:mi300x:8",
                        "-d",
                        "afterok:12",
                        "--signal=B:USR1@90",
                        "--open-mode=append",
                        "-o",
                        "%j.out",
                        "--exclusive",
                        "--requeue",
                        "-H",
                        "-a",
                        "0-9%2",
                        "--begin=now+60",
                        "--nice",
                        "--wrap",
                        "true"));

        var spec = controller.onlySubmission().getSpec();
        assertThat(spec.getName()).isEqualTo("train");
        assertThat(spec.getPartitionsList()).containsExactly("gpu", "debug");
        assertThat(spec.getTimeLimit().getMinutes()).isEqualTo(36 * 60);
        assertThat(spec.getDependency()).isEqualTo("afterok:12");
        assertThat(spec.getSignal()).isEqualTo("B:USR1@90");
        assertThat(spec.getOpenMode()).isEqualTo(OpenMode.OPEN_MODE_APPEND);
        assertThat(spec.getStdOut()).isEqualTo("%j.out");
        assertThat(spec.getRequeue()).isTrue();
        assertThat(spec.getHold()).isTrue();
        assertThat(spec.getArray()).isEqualTo("0-9%2");
        assertThat(spec.getNice()).isEqualTo(100);
        assertThat(spec.getBeginMicros()).isEqualTo(1_803_902_460_000_000L);
        var request = spec.getComponents(0);
        assertThat(request.getMinNodes()).isEqualTo(2);
        assertThat(request.getMaxNodes()).isEqualTo(4);
        assertThat(request.getTasksPerNode()).isEqualTo(8);
        assertThat(request.getTasks()).isZero();
        assertThat(request.getTasksGiven()).isTrue();
        assertThat(request.getCpusPerTask()).isEqualTo(2);
        assertThat(request.getMemPerNodeMb()).isEqualTo(4096);
        assertThat(request.getGresPerNode()).isEqualTo("gpu:mi300x:8");
        assertThat(request.getSharing()).isEqualTo(Sharing.SHARING_EXCLUSIVE);
    }

    @Test
    void mailIsRememberedByTheEventsThatItsWordStandsFor() throws Exception {
        sbatch(call("--mail-type=time_limit,all", "--wrap", "true"));

        assertThat(controller.onlySubmission().getSpec().getMailType())
                .isEqualTo("INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT,TIME_LIMIT");
    }

    @Test
    void commandLineWinsOverEnvironmentAndEnvironmentOverDirectives() throws Exception {
        var script =
                """
                #!/bin/bash
                # a comment

                #SBATCH --job-name='a name' -N 4 # four nodes
                #SBATCH --partition=directive --account=directive
                #SBATCH --qos=directive
                   # still a comment
                echo work
                #SBATCH --comment=too-late
                """;
        var in =
                call("--partition=line", "job.sh")
                        .file("job.sh", script)
                        .with("SBATCH_ACCOUNT", "environment")
                        .with("SBATCH_PARTITION", "environment");

        assertThat(sbatch(in)).isZero();

        var spec = controller.onlySubmission().getSpec();
        assertThat(spec.getName()).isEqualTo("a name");
        assertThat(spec.getComponents(0).getMinNodes()).isEqualTo(4);
        assertThat(spec.getPartitionsList()).containsExactly("line");
        assertThat(spec.getAccount()).isEqualTo("environment");
        assertThat(spec.getQos()).isEqualTo("directive");
        assertThat(spec.getComment()).isEmpty();
    }

    @Test
    void nodesOfPbsMayBeJoinedWithTheirProcessorsByAPlus() throws Exception {
        var script = "#!/bin/sh\n#PBS -l nodes=3+ppn=2,mem=4mb\ntrue\n";
        sbatch(call("job.sh").file("job.sh", script));

        var asked = controller.onlySubmission().getSpec().getComponents(0);
        assertThat(asked.getMinNodes()).isEqualTo(3);
        assertThat(asked.getTasksPerNode()).isEqualTo(2);
        assertThat(asked.getMemPerNodeMb()).isEqualTo(4);
    }

    @Test
    void directivesOfPbsAreTranslatedUnlessIgnored() throws Exception {
        var script =
                "#!/bin/sh\n#PBS -N pbsjob -q batch\n#PBS -l nodes=2:ppn=4,walltime=01:00:00,mem=2gb\ntrue\n";
        sbatch(call("job.sh").file("job.sh", script));
        sbatch(call("--ignore-pbs", "job.sh").file("job.sh", script));

        var spec = controller.submitted.getFirst().getSpec();
        assertThat(spec.getName()).isEqualTo("pbsjob");
        assertThat(spec.getPartitionsList()).containsExactly("batch");
        assertThat(spec.getTimeLimit().getMinutes()).isEqualTo(60);
        assertThat(spec.getComponents(0).getMinNodes()).isEqualTo(2);
        assertThat(spec.getComponents(0).getTasksPerNode()).isEqualTo(4);
        assertThat(spec.getComponents(0).getMemPerNodeMb()).isEqualTo(2048);
        assertThat(controller.submitted.getLast().getSpec().getName()).isEqualTo("job.sh");
    }

    @Test
    void environmentTravelsAsExportSays() throws Exception {
        assertThat(exported("--export=ALL"))
                .contains("FOO=bar", "SLURM_TIME_FORMAT=standard")
                .doesNotContain("SLURM_JOB_ID=3");
        assertThat(exported("--export=NONE")).containsExactly("SLURM_TIME_FORMAT=standard");
        assertThat(exported("--export=FOO,X=1"))
                .containsExactly("SLURM_TIME_FORMAT=standard", "FOO=bar", "X=1");
        assertThat(exported("--export=ALL,FOO=other,X=1")).contains("FOO=bar", "X=1");
        assertThat(exported("--export=ALL"))
                .noneMatch(variable -> variable.startsWith("SPUR_TOKEN"));
    }

    @Test
    void aJobsOwnStepsDoAsWasAskedOfTheJob() throws Exception {
        assertThat(exported("--overcommit")).contains("SLURM_OVERCOMMIT=1");
        assertThat(exported("-mcyclic")).contains("SLURM_DISTRIBUTION=cyclic");
        assertThat(exported("--gpu-bind=single:2")).contains("SLURM_GPU_BIND=single:2");
        assertThat(exported("--gpus=4", "--gpus-per-task=mi300x:2"))
                .contains("SLURM_GPUS=4", "SLURM_GPUS_PER_TASK=mi300x:2");
        assertThat(exported("--export=ALL"))
                .noneMatch(variable -> variable.startsWith("SLURM_OVERCOMMIT"));
    }

    @Test
    void whatIsNoScriptIsRefusedInSlurmsWords() throws Exception {
        assertThat(complaint("echo hi\n"))
                .isEqualTo(
                        """
                        sbatch: error: This does not look like a batch script.  The first
                        sbatch: error: line must start with #! followed by the path to an interpreter.
                        sbatch: error: For instance: #!/bin/sh
                        """);
        assertThat(complaint("")).isEqualTo("sbatch: error: Batch script is empty!\n");
        assertThat(complaint(" \n\n"))
                .isEqualTo("sbatch: error: Batch script contains only whitespace!\n");
        assertThat(complaint("#!/bin/sh\n\0\n")).contains("contain a NULL character '\\0'.");
        assertThat(complaint("#!/bin/sh\r\ntrue\r\n")).contains("DOS line breaks");
        assertThat(complaint("#!/bin/sh\n" + "#".repeat(5 << 20))).contains("larger than 4 MiB");
        assertThat(controller.submitted).isEmpty();
    }

    @Test
    void wrongCallsAreAnsweredAsSlurmDoes() throws Exception {
        assertRefused(1, "sbatch: error: Unable to open file nofile.sh\n", "nofile.sh");
        assertRefused(
                1,
                "sbatch: error: Script arguments not permitted with --wrap option\n",
                "--wrap",
                "true",
                "job.sh");
        assertRefused(
                255,
                "sbatch: error: Invalid --time specification\n",
                "-t",
                "notatime",
                "--wrap",
                "true");
        assertRefused(
                1,
                "sbatch: error: invalid number of nodes (-N 3-2)\n",
                "-w",
                "node[1-3]",
                "-N2",
                "--wrap",
                "true");
        assertRefused(
                255, "sbatch: error: Invalid --mem specification\n", "--mem=12Q", "--wrap", "true");
        assertRefused(
                255,
                "sbatch: error: Invalid --gpu-bind argument: gpu:blah\n",
                "--gpu-bind=blah",
                "--wrap",
                "true");
        assertRefused(
                1,
                "sbatch: error: Incompatible begin and deadline time specification\n",
                "--begin=now+2hour",
                "--deadline=now+1hour",
                "--wrap",
                "true");
        assertRefused(
                1, "sbatch: error: Node count specification invalid\n", "-N0", "--wrap", "true");
        assertRefused(
                255,
                "sbatch: error: \"abc\" is not a valid node count\n",
                "-N",
                "abc",
                "--wrap",
                "true");
        assertRefused(
                1,
                "sbatch: error: Invalid numeric value \"x\" for --ntasks.\n",
                "-n",
                "x",
                "--wrap",
                "true");
        assertRefused(
                1,
                "sbatch: error: Batch job submission failed: Invalid job array specification\n",
                "--array=abc",
                "--wrap",
                "true");
        assertRefused(
                1,
                "sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n",
                "--mem=1",
                "--mem-per-cpu=1",
                "--wrap",
                "true");
        assertRefused(
                1, "sbatch: error: option --bb is not supported yet\n", "--bb=x", "--wrap", "true");
        assertRefused(
                255,
                "sbatch: unrecognized option '--bogus'\nTry \"sbatch --help\" for more information\n",
                "--bogus",
                "--wrap",
                "true");
    }

    @Test
    void badDirectiveIsAnsweredLikeBadOption() throws Exception {
        var in = call("bad.sh").file("bad.sh", "#!/bin/sh\n#SBATCH --bogus=1\ntrue\n");

        assertThat(sbatch(in)).isEqualTo(255);
        assertThat(in.complained())
                .isEqualTo(
                        "sbatch: unrecognized option '--bogus=1'\nTry \"sbatch --help\" for more information\n");
    }

    @Test
    void controllersRefusalIsToldInSlurmsWords() throws Exception {
        controller.refusing(ErrorCode.INVALID_PARTITION, "invalid partition specified: nopart");
        assertRefused(
                1,
                """
                sbatch: error: invalid partition specified: nopart
                sbatch: error: Batch job submission failed: Invalid partition name specified
                """,
                "-p",
                "debug,nopart",
                "--wrap",
                "true");

        assertRefused(
                1,
                "sbatch: error: Invalid GRES specification (with and without type identification)\n",
                "--gres=gpu:mi300x:1,gpu:2",
                "--wrap",
                "true");

        controller.refusing(
                ErrorCode.NOT_SUPPORTED, "--contiguous is not supported by this cluster");
        assertRefused(
                1,
                "sbatch: error: Batch job submission failed: Requested operation not supported on this system:"
                        + " --contiguous is not supported by this cluster\n",
                "--contiguous",
                "--wrap",
                "true");

        controller.refusing(ErrorCode.INVALID_GRES, ErrorCode.INVALID_GRES.text());
        assertRefused(
                1,
                "sbatch: error: Invalid generic resource (gres) specification\n",
                "--gres=fpga:1",
                "--wrap",
                "true");

        controller.refusing(ErrorCode.INVALID_GRES, "one GPU is too few for two nodes");
        assertRefused(
                1,
                """
                sbatch: error: one GPU is too few for two nodes
                sbatch: error: Invalid generic resource (gres) specification
                """,
                "--gpus=1",
                "-N2",
                "--wrap",
                "true");

        controller.refusing(
                ErrorCode.NODE_CONFIG_UNAVAILABLE, "CPU count per node can not be satisfied");
        assertRefused(
                1,
                """
                sbatch: error: CPU count per node can not be satisfied
                sbatch: error: Batch job submission failed: Requested node configuration is not available
                """,
                "-c9",
                "--wrap",
                "true");
    }

    @Test
    void testOnlySaysWhenTheJobWouldStart() throws Exception {
        assertRefused(
                0,
                "sbatch: Job 36 to start at 2026-11-15T18:49:24 using 2 processors on nodes node[1-2] in partition"
                        + " debug\n",
                "--test-only",
                "--wrap",
                "true");

        controller.refusing(ErrorCode.NODE_CONFIG_UNAVAILABLE, "100 nodes asked, 8 exist");
        assertRefused(
                1,
                "allocation failure: Requested node configuration is not available\n",
                "--test-only",
                "-N100",
                "--wrap",
                "true");
    }

    @Test
    void waitReturnsTheJobsExitCodeAndTheHighestOfAnArray() throws Exception {
        controller.updates(
                JobUpdate.newBuilder()
                        .setJob(Job.newBuilder().setJobId(7).setBaseState("RUNNING"))
                        .build(),
                ended(8, "FAILED", 3, 0).build(),
                ended(9, "COMPLETED", 0, 0).build(),
                ended(7, "FAILED", 2, 0).setEnded(true).build());
        assertThat(sbatch(call("-W", "--wrap", "exit 3"))).isEqualTo(3);

        controller.updates(ended(7, "FAILED", 0, 9).setEnded(true).build());
        assertThat(sbatch(call("-W", "--wrap", "kill -9 $$"))).isEqualTo(1);
    }

    private static JobUpdate.Builder ended(int id, String state, int code, int signal) {
        return JobUpdate.newBuilder()
                .setJob(
                        Job.newBuilder()
                                .setJobId(id)
                                .setBaseState(state)
                                .setExitCode(code)
                                .setExitSignal(signal));
    }

    private List<String> exported(String... options) throws Exception {
        sbatch(
                call(wrapped(options))
                        .with("FOO", "bar")
                        .with("SLURM_JOB_ID", "3")
                        .with("SPUR_TOKEN", "secret")
                        .with("SLURM_TIME_FORMAT", "standard"));
        var blob = controller.submitted.getLast().getEnvironment().toString(StandardCharsets.UTF_8);
        return Arrays.stream(blob.split("\0")).filter(variable -> !variable.isEmpty()).toList();
    }

    private String printed(String... words) throws Exception {
        var in = call(words);
        sbatch(in);
        return in.printed();
    }

    private String complaint(String script) throws Exception {
        var in = call("job.sh").file("job.sh", script);
        assertThat(sbatch(in)).isEqualTo(1);
        return in.complained();
    }

    private void assertRefused(int exitCode, String complaint, String... words) throws Exception {
        var in = call(words);
        assertThat(sbatch(in)).isEqualTo(exitCode);
        assertThat(in.complained()).isEqualTo(complaint);
    }

    private int sbatch(RememberingInvocation in) throws Exception {
        return FakeController.run(new Sbatch(controller.connector()), in);
    }

    private static String[] wrapped(String... options) {
        var words = new ArrayList<>(List.of(options));
        words.addAll(List.of("--wrap", "true"));
        return words.toArray(String[]::new);
    }

    private static RememberingInvocation call(String... words) {
        return RememberingInvocation.of("sbatch", words);
    }

    private static FakeController start() {
        try {
            return new FakeController();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
