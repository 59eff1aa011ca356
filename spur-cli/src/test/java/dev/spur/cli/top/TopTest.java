package dev.spur.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.PlannedJob;
import dev.spur.api.v1.TimeLimit;
import dev.spur.api.v1.WatchReply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TopTest {
    private static final long NOW = 1_000_000_000_000_000L;

    private final Picture picture = new Picture();
    private final Screen screen = new Screen(picture, "alice", ZoneOffset.UTC);

    @BeforeEach
    void tell() {
        picture.tell(
                WatchReply.newBuilder()
                        .setBeginsAnew(true)
                        .setNowMicros(NOW)
                        .addJobs(job(1, "alice", "RUNNING").setRunSeconds(60).setNodeList("node1"))
                        .addJobs(job(2, "bob", "PENDING").setPriority(10))
                        .addJobs(job(3, "alice", "PENDING").setPriority(20))
                        .addJobs(job(4, "bob", "COMPLETED"))
                        .addPlan(
                                PlannedJob.newBuilder()
                                        .setJobId(3)
                                        .setReason("Resources")
                                        .setStartMicros(NOW + 60_000_000))
                        .addNodes(node("node1", "MIXED", 4, "gpu:mi300x:2(IDX:0-1)"))
                        .addNodes(node("node2", "IDLE", 0, "gpu:mi300x:0(IDX:N/A)"))
                        .setCursor("7:1:0:1")
                        .setIsCurrent(true)
                        .build());
    }

    @Test
    void theHeadCountsJobsNodesCpusAndGpus() {
        assertThat(text(Settings.FIRST))
                .contains("jobs: 1 running, 2 waiting   nodes: 2, 1 idle")
                .contains("] 4/16   GPUs [")
                .contains("] 2/16");
    }

    @Test
    void whatRunsComesBeforeTheQueueAndThatInTheOrderOfItsPriorities() {
        assertThat(ids(Settings.FIRST)).containsExactly("1", "3", "2");
    }

    @Test
    void aWaitingJobShowsWhyAndWhenItStarts() {
        assertThat(text(Settings.FIRST)).contains("(Resources) starts 01:47:40");
    }

    @Test
    void timesGoOnWithoutNews() {
        assertThat(screen.lines(Settings.FIRST, "", 120, 20, NOW + 5_000_000))
                .anyMatch(line -> line.contains("RUNNING") && line.contains("1:05"));
    }

    @Test
    void keysFilterAndSort() {
        assertThat(ids(keys("u"))).containsExactly("1", "3");
        assertThat(ids(keys("t"))).containsExactly("1");
        assertThat(ids(keys("t", "t"))).containsExactly("3", "2");
        assertThat(ids(keys("s"))).containsExactly("1", "2", "3");
        assertThat(ids(keys("s", "r"))).containsExactly("3", "2", "1");
        assertThat(ids(keys("/", "b", "o", "b", "ENTER"))).containsExactly("2");
        assertThat(ids(keys("/", "b", "o", "b", "ESCAPE"))).containsExactly("1", "3", "2");
    }

    @Test
    void aJobIsCancelledOnlyAfterAYes() {
        var asked = Settings.FIRST.after("c", 10, "3");
        assertThat(asked.question()).isEqualTo("Cancel job 3? (y/n)");
        assertThat(Settings.FIRST.act("c")).isEqualTo(Settings.Act.NOTHING);
        assertThat(asked.act("n")).isEqualTo(Settings.Act.NOTHING);
        assertThat(asked.act("q")).isEqualTo(Settings.Act.NOTHING);
        assertThat(asked.act("y")).isEqualTo(Settings.Act.CANCEL);
        assertThat(asked.after("y", 10, "3").question()).isEmpty();
    }

    @Test
    void lettersOfAFilterAreNoCommands() {
        var typing = keys("/");
        assertThat(typing.act("q")).isEqualTo(Settings.Act.NOTHING);
        assertThat(typing.after("q", 10, "").filter()).isEqualTo("q");
    }

    @Test
    void nothingIsWiderOrLongerThanTheTerminal() {
        for (var rows = 8; rows < 30; rows++) {
            var lines = screen.lines(Settings.FIRST, "", 40, rows, NOW);
            assertThat(lines.size()).isLessThanOrEqualTo(rows);
            assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(40));
        }
    }

    @Test
    void whatOthersNameTheirJobsDoesNotSteerTheTerminal() {
        picture.tell(
                WatchReply.newBuilder()
                        .addJobs(job(5, "bob", "RUNNING").setName("\u001b[2J"))
                        .build());

        assertThat(text(Settings.FIRST)).doesNotContain("\u001b");
    }

    @Test
    void aWatchThatBeginsAnewForgetsWhatWas() {
        picture.tell(
                WatchReply.newBuilder()
                        .setBeginsAnew(true)
                        .addJobs(job(9, "bob", "RUNNING"))
                        .build());

        assertThat(ids(Settings.FIRST)).containsExactly("9");
        assertThat(picture.cursor()).isEqualTo("7:1:0:1");
        assertThat(picture.isCurrent()).isFalse();
    }

    @Test
    void arrowsAndTheEscapeKeyAreToldApart() throws IOException {
        assertThat(typed("\u001b[Aq\u001b[6~\r")).containsExactly("UP", "q", "PAGE_DOWN", "ENTER");
        assertThat(typed("\u001b")).containsExactly("ESCAPE");
    }

    private static List<String> typed(String text) throws IOException {
        var keys = new Keys(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
        var names = new ArrayList<String>();
        for (var key = keys.next(); key.isPresent(); key = keys.next()) {
            names.add(key.get());
        }
        return names;
    }

    private static Settings keys(String... keys) {
        var settings = Settings.FIRST;
        for (var key : keys) {
            settings = settings.after(key, 10, "1");
        }
        return settings;
    }

    private List<String> ids(Settings settings) {
        return screen.jobs(settings, NOW).stream().map(Screen::id).toList();
    }

    private String text(Settings settings) {
        return String.join("\n", screen.lines(settings, "", 200, 40, NOW));
    }

    private static Job.Builder job(int id, String user, String state) {
        return Job.newBuilder()
                .setJobId(id)
                .setUserName(user)
                .setName("sim")
                .setState(state)
                .setPartition("debug")
                .setReason("Priority")
                .setNumNodes(1)
                .setNumCpus(4)
                .setTimeLimit(TimeLimit.newBuilder().setMinutes(60));
    }

    private static Node node(String name, String state, int used, String gres) {
        return Node.newBuilder()
                .setName(name)
                .setState(state)
                .setCpus(8)
                .setAllocCpus(used)
                .setGres("gpu:mi300x:8")
                .setGresUsed(gres)
                .build();
    }
}
