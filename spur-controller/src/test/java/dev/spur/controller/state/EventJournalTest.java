package dev.spur.controller.state;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Command;
import dev.spur.engine.step.StepEnd;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.ExitStatus;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

class EventJournalTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");

    private final ReplicatedState state = new ReplicatedState();
    private final EventJournal journal = new EventJournal();

    @Test
    void nodeIsNewsWhenItComesAndNotWhenItIsOnlyConfigured() {
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", node().shape())),
                        ClusterRules.DEFAULTS);
        state.apply(new Command.ApplyConfig(NOW, "", Actor.CLUSTER, config));
        assertThat(journal.isNews(first())).isFalse();

        state.apply(new Command.RegisterNode(NOW, "node1", node().report("node1"), List.of()));
        assertThat(journal.isNews(first())).isTrue();
        assertThat(journal.isNews(first())).as("once").isFalse();
    }

    @Test
    void endOfAJobIsToldWithItsExitAndItsReason() {
        var cluster = Heart.with(1, node());
        cluster.finish(cluster.run(job()), 3);

        assertThat(written(cluster))
                .contains(
                        "job ended job=1 user=alice state=FAILED nodes=node1 exit=3:0 reason=NonZeroExitCode");
    }

    @Test
    void whatKeptAStepFromRunningIsTold() {
        var cluster = Heart.with(1, node());
        var id = cluster.run(job());
        var sorry = "Could not open stdout file /no/such/place/out: No such file or directory";
        cluster.endScript(
                id,
                new StepEnd(new ExitStatus(0, 53), false, false, false, 0, 0, 0, NOW, NOW, sorry));

        assertThat(written(cluster))
                .contains(
                        "step could not run job=1 step=batch node=node1 exit=0:53 cause=" + sorry);
    }

    /// What the journal writes about all that happened.
    private List<String> written(Heart cluster) {
        var logger = (Logger) LoggerFactory.getLogger("dev.spur.cluster");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
        try {
            journal.changed(cluster.takeEvents());
        } finally {
            logger.setLevel(null);
            logger.setAdditive(true);
            logger.detachAppender(lines);
        }
        return lines.list.stream().map(EventJournalTest::text).toList();
    }

    private static String text(ILoggingEvent line) {
        var pairs = line.getKeyValuePairs();
        return line.getMessage()
                + (pairs == null ? List.<KeyValuePair>of() : pairs)
                        .stream()
                                .map(pair -> " " + pair.key + "=" + pair.value)
                                .collect(Collectors.joining());
    }

    private Node first() {
        state.publish();
        return state.snapshot().node("node1").orElseThrow();
    }
}
