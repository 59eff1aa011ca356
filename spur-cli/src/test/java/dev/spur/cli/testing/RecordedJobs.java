package dev.spur.cli.testing;

import dev.spur.api.v1.GresAllocation;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.Sharing;
import dev.spur.api.v1.TimeLimit;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;

/// The jobs of the recorded cluster, read from the one recording that shows every field of them:
/// `squeue_o_all`.
public final class RecordedJobs {
    static final TimeLimit UNLIMITED = TimeLimit.newBuilder().setUnlimited(true).build();

    /// The letters of that recording's format, in its order.
    private static final String LETTERS = "AaBCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz";

    private final String[] cells;
    private final Instant now;

    private RecordedJobs(String line, Instant now) {
        this.cells = line.split("\\|", -1);
        this.now = now;
    }

    static List<Job> at(Instant now) {
        return Recording.of("squeue_o_all")
                .output()
                .lines()
                .map(line -> new RecordedJobs(line, now).job())
                .sorted(Comparator.comparingInt(RecordedJobs::age))
                .toList();
    }

    /// A controller answers in the order in which it made its records: a task split off from a
    /// waiting array takes the record of the array, the rest of the array a new one.
    private static int age(Job job) {
        return switch (job.getJobId()) {
            case 50 -> 2 * 46;
            case 46 -> 2 * 58 + 1;
            case 40 -> 2 * 42 + 1;
            default -> 2 * job.getJobId();
        };
    }

    public static long micros(String time) {
        return LocalDateTime.parse(time).toEpochSecond(ZoneOffset.UTC) * 1_000_000;
    }

    static TimeLimit minutes(int minutes) {
        return TimeLimit.newBuilder().setMinutes(minutes).build();
    }

    private Job job() {
        var job =
                Job.newBuilder()
                        .setJobId(number('A'))
                        .setName(cell('j'))
                        .setUid(number('U'))
                        .setGid(number('G'))
                        .setUserName(cell('u'))
                        .setGroupName(cell('g'))
                        .setPartition(cell('P'))
                        .setAccount(cell('a'))
                        .setQos(cell('q'))
                        .setState(cell('T'))
                        .setBaseState(cell('T'))
                        .setReason(cell('r'))
                        .setPriority(number('Q'))
                        .setNice(number('y'))
                        .setNodeList(cell('N'))
                        .setBatchHost(cell('B'))
                        .setNumNodes(number('D'))
                        .setNumCpus(number('C'))
                        .setNumTasks(number('C'))
                        .setTimeLimit(limit())
                        .setSubmitMicros(time('V'))
                        .setEligibleMicros(eligible())
                        .setAccrueMicros(accrue())
                        .setStartMicros(time('S'))
                        .setEndMicros(time('e'))
                        .setRunSeconds(
                                cell('T').equals("RUNNING")
                                        ? now.getEpochSecond() - time('S') / 1_000_000
                                        : 0)
                        .setDependency(cell('E'))
                        .setComment(cell('k'))
                        .setBatch(true)
                        .setRequeue(true)
                        .setWorkDir(cell('Z'))
                        .setStdIn("/dev/null")
                        .setStdOut(output())
                        .setStdErr(output())
                        .setLastSchedEvalMicros(lastEvaluation())
                        .setSpec(JobSpec.newBuilder().setSubmitHost("localhost").setAllocSid(3383))
                        .setRequest(request())
                        .setMaxNodes(cell('h').equals("NO") ? number('D') : 0)
                        .setTres(tres())
                        .setTresAlloc(tres());
        identify(job);
        if (cell('j').equals("gpujob")) {
            job.setTresPerNode("gres:gpu:2");
            job.addNodes(
                    NodeAllocation.newBuilder()
                            .setNode("node1")
                            .setCpus(1)
                            .setCpuIds("2")
                            .setMemMb(100)
                            .addGres(
                                    GresAllocation.newBuilder()
                                            .setName("gpu")
                                            .setType("tesla")
                                            .addAllIndices(List.of(0, 1))));
        }
        return job.build();
    }

    private void identify(Job.Builder job) {
        var id = cell('i');
        if (id.indexOf('_') > 0) {
            job.setArrayJobId(number('F'));
            var tasks = cell('K');
            if (id.endsWith("]")) {
                job.setArrayPending(tasks);
            } else {
                job.setArrayTaskId(Integer.parseInt(tasks));
            }
            job.setArrayThrottle(number('F') == 40 ? 2 : 0);
        } else if (id.indexOf('+') > 0) {
            job.setHetJobId(66).setHetOffset(number('A') - 66);
        }
    }

    private ResourceRequest request() {
        return ResourceRequest.newBuilder()
                .setMinCpusPerNode(number('c'))
                .setMemPerCpuMb(100)
                .setNodeList(cell('n'))
                .setExclude(cell('x'))
                .setSharing(
                        cell('h').equals("NO")
                                ? Sharing.SHARING_EXCLUSIVE
                                : Sharing.SHARING_DEFAULT)
                .build();
    }

    private String tres() {
        var cpus = number('C');
        var tres =
                "cpu=%d,mem=%dM,node=%d,billing=%d".formatted(cpus, cpus * 100, number('D'), cpus);
        return cell('j').equals("gpujob") ? tres + ",gres/gpu=2,gres/gpu:tesla=2" : tres;
    }

    private String output() {
        var id = cell('i');
        var task = id.endsWith("]") ? "4294967294" : cell('K');
        return "%s/slurm-%s.out"
                .formatted(cell('Z'), id.indexOf('_') > 0 ? cell('F') + "_" + task : cell('A'));
    }

    private long eligible() {
        return switch (cell('j')) {
            case "dep", "dep2", "depcorr" -> 0;
            case "arr" -> cell('T').equals("PENDING") ? 0 : time('S');
            default -> time('V');
        };
    }

    private long accrue() {
        return switch (cell('j')) {
            case "dep", "dep2", "depcorr" -> 0;
            case "arr" -> micros("2026-11-15T18:49:29");
            default -> time('V');
        };
    }

    private long lastEvaluation() {
        return switch (cell('j')) {
            case "big" -> micros("2026-11-15T18:49:50");
            case "arr" -> micros("2026-11-15T18:49:29");
            default -> time('S') == 0 ? time('V') : time('S');
        };
    }

    private TimeLimit limit() {
        return switch (cell('l')) {
            case "UNLIMITED" -> UNLIMITED;
            case "5-00:00:00" -> minutes(5 * 24 * 60);
            case "1:00:00" -> minutes(60);
            default -> minutes(Integer.parseInt(cell('l').substring(0, cell('l').indexOf(':'))));
        };
    }

    private long time(char letter) {
        var text = cell(letter);
        return text.length() == 19 ? micros(text) : 0;
    }

    private int number(char letter) {
        return Integer.parseInt(cell(letter));
    }

    private String cell(char letter) {
        var text = cells[LETTERS.indexOf(letter)];
        return text.equals("(null)") || text.equals("n/a") ? "" : text;
    }
}
