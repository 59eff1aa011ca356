package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.dist.Layout;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.HostIdentity;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What careless and ill-meaning users send, on every way into the cluster.
class HostileInputTest {
    private static final int NOBODY = 65_534;
    private static final List<String> DAEMONS =
            List.of("spurctld", "spur-door", "node1", "node2", "node3", "node4");

    private final RealCluster cluster = SharedCluster.get();

    // Scripts

    @ParameterizedTest
    @ValueSource(strings = {"sbatch huge.sh", "sbatch < huge.sh"})
    void scriptOfAHundredMegabytesIsRefused(String command) throws IOException {
        writeHugeScript(cluster.work().resolve("huge.sh"));

        var ran = refused("sh", "-c", command);

        assertThat(ran.err())
                .startsWith("sbatch: error: Batch job submission failed: ")
                .contains("larger than 4 MiB");
        assertUnharmed();
    }

    @Test
    void scriptWithNulBytesIsRefused() throws IOException {
        var script = script("nul.sh", "#!/bin/sh\necho a\0b\n");

        assertThat(refused("sbatch", script).err()).contains("NULL character");
    }

    @Test
    void scriptWithDosLineBreaksIsRefused() throws IOException {
        var script = script("dos.sh", "#!/bin/sh\r\necho hello\r\n");

        assertThat(refused("sbatch", script).err()).contains("DOS line breaks");
    }

    @Test
    void binaryFileIsNoScript() throws IOException {
        var garbage = new byte[100_000];
        new Random(1).nextBytes(garbage);
        Files.write(cluster.work().resolve("binary"), garbage);

        assertThat(refused("sbatch", "binary").err())
                .startsWith("sbatch: error: This does not look like a batch script.");
    }

    @Test
    void directoryIsNoScript() {
        assertThat(refused("sbatch", "/tmp").err()).startsWith("sbatch: error: ");
    }

    // Options

    @SuppressWarnings("unused") // by name, in the annotation below
    static final List<String> NONSENSE =
            List.of(
                    "-t abc",
                    "-t 1:2:3:4",
                    "-t -5",
                    "--time-min=abc",
                    "-N x",
                    "-N 0",
                    "-N 4-2",
                    "-N 99999999999",
                    "-n x",
                    "-n 0",
                    "-n -1",
                    "-n 99999999999",
                    "-c 0",
                    "-c x",
                    "--mem=12Q",
                    "--mem=-1",
                    "--mem-per-cpu=x",
                    "--mem-per-gpu=x",
                    "--tmp=x",
                    "-a 1-",
                    "-a abc",
                    "-a 5-1",
                    "-a 1-10:0",
                    "-a 1-10%x",
                    "-a 1-999999999",
                    "--gres=gpu:x:y:z",
                    "--gres=gpu:99999999999",
                    "--gres=fpga:1",
                    "--gpus=x:y:z",
                    "--gpus-per-node=gpu:",
                    "-d afterok:abc",
                    "-d afterok",
                    "-d nonsense:1",
                    "--begin=never",
                    "--begin=now+x",
                    "--deadline=never",
                    "--signal=FOO",
                    "--signal=USR1@x",
                    "--signal=99999",
                    "--nice=x",
                    "--priority=x",
                    "--ntasks-per-node=x",
                    "--cpus-per-gpu=x",
                    "--core-spec=x",
                    "-w node[1-",
                    "-w nonode",
                    "-x node[1-",
                    "-p nopart",
                    "-C nofeature",
                    "-B x:y",
                    "-m nonsense",
                    "--exclusive=nobody",
                    "--hint=nonsense",
                    "--mail-type=NONSENSE",
                    "--open-mode=x",
                    "--switches=x",
                    "--wait-all-nodes=x",
                    "--kill-on-invalid-dep=x",
                    "--reservation=nosuch",
                    "--nosuchoption",
                    "--nosuchoption=1",
                    "-@",
                    "--n=1",
                    "-t",
                    "--mem");

    @ParameterizedTest
    @FieldSource("NONSENSE")
    void nonsenseIsRefusedInWordsAndSubmitsNothing(String option) {
        var command = new ArrayList<>(List.of("sbatch", "-o", "/dev/null", "--wrap", "true"));
        command.addAll(List.of(option.split(" ", -1)));

        var ran = refused(command.toArray(String[]::new));

        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().lines())
                .isNotEmpty()
                .allMatch(HostileInputTest::isWordOfSbatch)
                .noneMatch(line -> line.contains("Exception") || line.contains("null"))
                .hasSizeLessThan(4);
    }

    /// Not every line of Slurm's begins with the name of the command.
    private static boolean isWordOfSbatch(String line) {
        return line.startsWith("sbatch: ")
                || line.equals("Try \"sbatch --help\" for more information")
                || line.startsWith("Invalid time specification (pos=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"srun", "salloc", "squeue", "sinfo", "scancel", "scontrol"})
    void unknownOptionIsAnErrorOfEveryCommand(String tool) {
        var ran = refused(tool, "--nosuchoption");

        assertThat(ran.err()).startsWith(tool + ": ");
    }

    // Sizes

    @Test
    void largeEnvironmentReachesTheJobWhole() throws IOException {
        var large = new HashMap<String, String>();
        IntStream.range(0, 8).forEach(n -> large.put("LARGE_" + n, "x".repeat(120_000)));

        var ran =
                cluster.run(
                        large,
                        "",
                        "sbatch",
                        "--wait",
                        "-o",
                        "large.txt",
                        "--wrap",
                        "echo ${#LARGE_0} ${#LARGE_7}");

        assertThat(ran.exitCode()).as(ran.err()).isZero();
        assertThat(cluster.work().resolve("large.txt")).content().isEqualTo("120000 120000\n");
    }

    @Test
    void tenThousandArgumentsReachTheTask() {
        var command = new ArrayList<>(List.of("srun", "sh", "-c", "echo $# ${1}", "sh"));
        IntStream.range(0, 10_000).forEach(n -> command.add("argument-" + n));

        var ran = cluster.run(command.toArray(String[]::new));

        assertThat(ran.out()).as(ran.err()).isEqualTo("10000 argument-0\n");
    }

    // Sockets

    @Test
    void garbageOnAnySocketHarmsNothing() throws IOException {
        var before = pids();
        for (var address : sockets()) {
            for (var bytes : garbage()) {
                spit(address, bytes);
            }
        }

        assertUnharmed();
        assertThat(pids()).as("daemons that were started again").isEqualTo(before);
    }

    @Test
    void callersThatSayNothingKeepNobodyOut() throws IOException {
        var silent = new ArrayList<SocketChannel>();
        try {
            for (var i = 0; i < 300; i++) {
                silent.add(SocketChannel.open(door()));
                silent.add(SocketChannel.open(controller()));
            }

            assertUnharmed();
        } finally {
            for (var channel : silent) {
                channel.close();
            }
        }
    }

    @Test
    void garbageOfAnotherUserHarmsNothing() {
        assumeRoot();
        var before = pids();

        cluster.runAs(
                NOBODY,
                "perl",
                "-MIO::Socket::UNIX",
                "-e",
                "for (1..50) { my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die; "
                        + "print $s pack('C*', map { int rand 256 } 1..70000); }",
                layout().door().toString());

        assertUnharmed();
        assertThat(pids()).isEqualTo(before);
    }

    // Requests that no command of ours would send

    @SuppressWarnings("unused") // by name, in the annotation below
    static final List<Named<UnaryOperator<JobSpec.Builder>>> NONSENSE_SPECS =
            List.of(
                    spec("no resources at all", JobSpec.Builder::clearComponents),
                    spec("no working directory", JobSpec.Builder::clearWorkDir),
                    spec("relative directory", s -> s.setWorkDir("here")),
                    spec("array", s -> s.setArray("1-")),
                    spec("dependency", s -> s.setDependency("afterok:x")),
                    spec("signal", s -> s.setSignal("@@")),
                    spec("gres", s -> with(s, r -> r.setGresPerNode("gpu:x:y:z"))),
                    spec("node list", s -> with(s, r -> r.setNodeList("node[1-"))),
                    spec("huge node list", s -> with(s, r -> r.setNodeList("n[0-999999999]"))),
                    spec("constraint", s -> with(s, r -> r.setConstraint("&|("))),
                    spec("counts", s -> with(s, r -> r.setMinNodes(-1).setMaxNodes(1))),
                    spec("tasks", s -> with(s, r -> r.setTasks(-1).setCpusPerTask(-1))),
                    spec("memory", s -> with(s, r -> r.setMemPerNodeMb(-1))),
                    spec("begin", s -> s.setBeginMicros(Long.MAX_VALUE)),
                    spec("deadline", s -> s.setDeadlineMicros(Long.MIN_VALUE)),
                    spec("nice", s -> s.setNice(Integer.MIN_VALUE)),
                    spec("name", s -> s.setName("x".repeat(1 << 20))),
                    spec("NUL in a path", s -> s.setStdOut("/tmp/a\0b")),
                    spec("another user", s -> s.setUid(4242).setGid(4242)),
                    spec("many components", HostileInputTest::thousandComponents));

    /// Taken or refused, each gets an answer, and what is refused is refused in words.
    @ParameterizedTest
    @FieldSource("NONSENSE_SPECS")
    void nonsenseByApiIsAnsweredInWords(UnaryOperator<JobSpec.Builder> nonsense) {
        var spec =
                JobSpec.newBuilder()
                        .setName("nonsense")
                        .setHold(true)
                        .setWorkDir("/tmp")
                        .setStdOut("/dev/null")
                        .addComponents(
                                ResourceRequest.newBuilder()
                                        .setMinNodes(1)
                                        .setMaxNodes(1)
                                        .setTasks(1));
        var request =
                SubmitJobRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                        .setSpec(nonsense.apply(spec))
                        .build();
        try {
            var id = cluster.client().call(c -> c.submitJob(request)).getJobId();
            assertThat(cluster.run("scontrol", "show", "job", Integer.toString(id)).exitCode())
                    .isZero();
            assertThat(cluster.run("squeue").exitCode()).isZero();
            cluster.run("scancel", Integer.toString(id));
        } catch (ControllerException refusal) {
            assertThat(refusal.status()).isNotIn(Status.Code.INTERNAL, Status.Code.UNKNOWN);
            assertThat(refusal.code()).isNotEmpty();
        }
        assertThat(cluster.run("sinfo").exitCode()).isZero();
    }

    private static Named<UnaryOperator<JobSpec.Builder>> spec(
            String name, UnaryOperator<JobSpec.Builder> nonsense) {
        return Named.of(name, nonsense);
    }

    private static JobSpec.Builder with(
            JobSpec.Builder spec, UnaryOperator<ResourceRequest.Builder> nonsense) {
        var _ = nonsense.apply(spec.getComponentsBuilder(0));
        return spec;
    }

    private static JobSpec.Builder thousandComponents(JobSpec.Builder spec) {
        return spec.addAllComponents(Collections.nCopies(1000, spec.getComponents(0)));
    }

    @Test
    void computeNodeCannotSpeakForRoot() {
        try (var channels = channels(HostIdentity.load(layout().identity("node1")))) {
            assertThatThrownBy(() -> submitAs(0, channels))
                    .isInstanceOf(ControllerException.class)
                    .hasMessageContaining("root");
        }
    }

    @Test
    void strangerCannotSpeakForAnybody() {
        var trust = HostIdentity.load(layout().identity("node1")).trustManager();
        try (var channels = new Channels(new TransportSecurity.Tls(null, trust))) {
            assertThatThrownBy(() -> submitAs(1000, channels))
                    .isInstanceOf(ControllerException.class)
                    .hasMessageContaining("Join this host");
        }
    }

    private static Channels channels(HostIdentity identity) {
        return new Channels(
                new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
    }

    private void submitAs(int uid, Channels channels) {
        var address = HostAndPort.parse(layout().controllerAddress(1), HostAndPort.CONTROLLER_PORT);
        var name = uid == 0 ? "root" : "user" + uid;
        var caller = new CallerIdentity.Vouched(uid, uid, name, List.of());
        var client = new ControllerClient(channels, List.of(address), caller);
        client.call(c -> c.submitJob(SubmitJobRequest.getDefaultInstance()));
    }

    private Layout layout() {
        return cluster.local().layout();
    }

    // Callers that vanish

    @Test
    void allocationOfAKilledSrunIsGivenBack() throws Exception {
        var srun = cluster.start(Map.of(), List.of("srun", "-J", "vanished", "sleep", "600"));
        Eventually.until(
                () -> live("vanished").stream().anyMatch(job -> job.getState().equals("RUNNING")),
                () -> "the step has not begun");

        srun.destroyForcibly().waitFor();

        Eventually.until(
                () -> live("vanished").isEmpty(), () -> "still there: " + live("vanished"));
        assertUnharmed();
    }

    @Test
    void srunKilledAtAnyMomentLeavesNothing() throws Exception {
        var random = new Random(20_261_115);
        for (var i = 0; i < 12; i++) {
            var srun = cluster.start(Map.of(), List.of("srun", "-J", "hasty", "sleep", "600"));
            srun.waitFor(random.nextInt(60), TimeUnit.MILLISECONDS);
            srun.destroyForcibly().waitFor();
        }

        assertUnharmed();
        Eventually.until(() -> live("hasty").isEmpty(), () -> "still there: " + live("hasty"));
    }

    @Test
    void sbatchKilledWhileItReadsItsScriptSubmitsNothing() throws Exception {
        var before = lastJob();
        var sbatch = cluster.start(Map.of(), List.of("sbatch", "-H"));
        sbatch.getOutputStream().write("#!/bin/sh\n".getBytes(StandardCharsets.UTF_8));
        sbatch.getOutputStream().flush();

        sbatch.destroyForcibly().waitFor();

        assertThat(cluster.run("sinfo").exitCode()).isZero();
        assertThat(lastJob()).isEqualTo(before);
        assertUnharmed();
    }

    // Other people's jobs

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scancel JOB",
                "scancel --signal=USR1 JOB",
                "scontrol hold JOB",
                "scontrol release JOB",
                "scontrol requeue JOB",
                "scontrol update JobId=JOB TimeLimit=1",
                "scontrol write batch_script JOB -"
            })
    void othersCannotTouchAJob(String command) {
        assumeRoot();
        var id = heldJob();
        var before = shown(id);

        var ran = cluster.runAs(NOBODY, command.replace("JOB", id).split(" ", -1));

        assertThat(ran.exitCode()).as(ran.out()).isNotZero();
        assertThat(ran.err()).isNotBlank();
        assertThat(ran.out() + ran.err()).doesNotContain("secret-of-root");
        assertThat(shown(id)).isEqualTo(before);
        cluster.run("scancel", id);
    }

    /// Without the time of the scheduler's last look, which moves by itself.
    private String shown(String id) {
        return cluster.run("scontrol", "show", "job", id)
                .out()
                .replaceAll("LastSchedEval=\\S+", "");
    }

    @Test
    void othersDoNotSeeWhatAJobIs() {
        assumeRoot();
        var id = heldJob();

        var shown = cluster.runAs(NOBODY, "scontrol", "show", "job", "-dd", id);

        assertThat(shown.out() + shown.err()).doesNotContain("secret-of-root");
        cluster.run("scancel", id);
    }

    @Test
    void administrationIsRefusedToUsers() {
        assumeRoot();
        for (var command :
                List.of(
                        "scontrol update NodeName=node1 State=DOWN Reason=spite",
                        "scontrol update PartitionName=debug State=DOWN",
                        "scontrol reconfigure",
                        "scontrol shutdown")) {
            var ran = cluster.runAs(NOBODY, command.split(" ", -1));

            assertThat(ran.exitCode()).as(command).isNotZero();
            assertThat(ran.err()).as(command).isNotBlank();
        }
        assertUnharmed();
    }

    @Test
    void jobRunsAsItsUser() throws IOException {
        assumeRoot();
        var made = cluster.work().resolve("made-by-nobody");

        var ran =
                cluster.runAs(
                        NOBODY,
                        "sbatch",
                        "--wait",
                        "-o",
                        "nobody.txt",
                        "--wrap",
                        "id -u; id -g; touch " + made);

        assertThat(ran.exitCode()).as(ran.err()).isZero();
        var output = cluster.work().resolve("nobody.txt");
        assertThat(Files.readAllLines(output)).containsExactly("65534", "65534");
        for (var file : List.of(output, made)) {
            assertThat(Files.getAttribute(file, "unix:uid")).as("%s", file).isEqualTo(NOBODY);
        }
    }

    @Test
    void outputIsNeverWrittenWhereItsUserMayNot() throws IOException {
        assumeRoot();
        var precious = Files.writeString(cluster.work().resolve("precious.txt"), "root's own\n");

        cluster.runAs(
                NOBODY, "sbatch", "--wait", "-o", precious.toString(), "--wrap", "echo spite");

        assertThat(precious).content().isEqualTo("root's own\n");
    }

    private String heldJob() {
        return cluster.run(
                        "sbatch",
                        "--parsable",
                        "-H",
                        "-o",
                        "/dev/null",
                        "--wrap",
                        "echo secret-of-root")
                .out()
                .strip();
    }

    private static void assumeRoot() {
        assumeThat(Users.currentUid()).as("only root can act as other users").isZero();
    }

    /// Runs a command that must fail and leave no job behind.
    private Ran refused(String... command) {
        var before = lastJob();
        var ran = cluster.run(command);
        assertThat(ran.exitCode()).as("%s%s", ran.out(), ran.err()).isNotZero();
        assertThat(ran.err()).isNotBlank();
        assertThat(lastJob()).as("a job was submitted").isEqualTo(before);
        return ran;
    }

    private void assertUnharmed() {
        Eventually.until(
                () ->
                        cluster.run("sinfo", "-h", "-t", "idle,mix,alloc", "-o", "%D")
                                        .out()
                                        .lines()
                                        .mapToInt(line -> Integer.parseInt(line.strip()))
                                        .sum()
                                == 4,
                () -> "not all nodes are well: " + cluster.run("sinfo").out());
        assertThat(cluster.run("srun", "echo", "well").out()).isEqualTo("well\n");
    }

    private int lastJob() {
        return jobs("ALL").mapToInt(Job::getJobId).max().orElse(0);
    }

    private List<Job> live(String name) {
        return jobs("PENDING", "CONFIGURING", "RUNNING", "COMPLETING")
                .filter(job -> job.getName().equals(name))
                .toList();
    }

    private Stream<Job> jobs(String... states) {
        var request = ListJobsRequest.newBuilder().addAllStates(List.of(states)).build();
        var found = new ArrayList<Job>();
        cluster.client().each(c -> c.listJobs(request), page -> found.addAll(page.getJobsList()));
        return found.stream();
    }

    private Map<String, Long> pids() {
        var pids = new HashMap<String, Long>();
        DAEMONS.forEach(name -> pids.put(name, cluster.local().daemon(name).pid()));
        return pids;
    }

    private String script(String name, String text) throws IOException {
        Files.writeString(cluster.work().resolve(name), text);
        return name;
    }

    private static void writeHugeScript(Path file) throws IOException {
        var line = "#".repeat(1023) + "\n";
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write("#!/bin/sh\n".getBytes(StandardCharsets.UTF_8));
            var megabyte = line.repeat(1024).getBytes(StandardCharsets.UTF_8);
            for (var i = 0; i < 100; i++) {
                out.write(megabyte);
            }
        }
    }

    private SocketAddress door() {
        return UnixDomainSocketAddress.of(layout().door());
    }

    private SocketAddress controller() {
        return tcp(layout().controllerAddress(1));
    }

    private List<SocketAddress> sockets() {
        var layout = layout();
        var all = new ArrayList<SocketAddress>(List.of(door(), controller()));
        IntStream.rangeClosed(1, 4).forEach(n -> all.add(tcp(layout.agentAddress(n))));
        return all;
    }

    private static SocketAddress tcp(String text) {
        var address = HostAndPort.parse(text, HostAndPort.CONTROLLER_PORT);
        return new InetSocketAddress(address.host(), address.port());
    }

    /// Noise, other protocols, and the beginnings of our own gone wrong.
    private static List<byte[]> garbage() {
        var all = new ArrayList<byte[]>();
        var random = new Random(7);
        for (var size : List.of(1, 9, 1000, 200_000)) {
            var noise = new byte[size];
            random.nextBytes(noise);
            all.add(noise);
            all.add(after(new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3}, noise));
            all.add(
                    after(
                            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.UTF_8),
                            noise));
            // a frame of the door: u32 length, u8 type, u32 stream
            for (var type = 0; type < 32; type++) {
                var length = Math.min(size + 5, 65_000);
                var frame = ByteBuffer.allocate(9).putInt(length).put((byte) type).putInt(type % 3);
                all.add(after(frame.array(), noise));
            }
        }
        all.add("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        var ones = new byte[4096];
        Arrays.fill(ones, (byte) -1);
        all.add(ones);
        all.add(new byte[4096]);
        return all;
    }

    private static byte[] after(byte[] beginning, byte[] rest) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(beginning);
        all.writeBytes(rest);
        return all.toByteArray();
    }

    private static void spit(SocketAddress address, byte[] bytes) throws IOException {
        try (var channel = SocketChannel.open(address)) {
            write(channel, bytes);
        }
    }

    private static void write(SocketChannel channel, byte[] bytes) {
        var buffer = ByteBuffer.wrap(bytes);
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        } catch (IOException e) {
            // it hung up before it had heard everything, which is its good right
        }
    }
}
