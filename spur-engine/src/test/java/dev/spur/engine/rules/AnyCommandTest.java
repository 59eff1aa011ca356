package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.ReservationFixture.change;
import static dev.spur.engine.fixture.ReservationFixture.reservation;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.spur.engine.codec.Generated;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.engine.fixture.ReservationFixture;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.state.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Whatever a command says, it is done, refused or ignored. One that could not be applied would be
/// in the log, and end every controller at each start.
class AnyCommandTest {
    private static final List<Instant> TIMES =
            List.of(Instant.MIN, Instant.EPOCH, Heart.START, Instant.MAX);
    private static final List<Duration> DURATIONS =
            List.of(
                    Duration.ZERO,
                    Duration.ofMinutes(1),
                    Duration.ofDays(400),
                    Duration.ofSeconds(Long.MAX_VALUE),
                    Duration.ofSeconds(Long.MIN_VALUE));

    private final Random random = new Random(1);

    @Test
    void everyCommandCanBeApplied() throws ReflectiveOperationException {
        for (var seed = 0; seed < 150; seed++) {
            var cluster = busy();
            for (var i = 0; i < 20; i++) {
                var command = new Generated(1_000L * seed + i).value(Command.class);
                if (!(command instanceof Command.ApplyConfig)) { // whose numbers its reader bounds
                    check(cluster, at(command, cluster.now()));
                }
            }
        }
    }

    @Test
    void everyReservationCanBeAskedFor() {
        for (var seed = 0; seed < 150; seed++) {
            var cluster = busy();
            for (var i = 0; i < 10; i++) {
                check(
                        cluster,
                        new Command.CreateReservation(
                                cluster.now(), "", ADMIN, anyReservation(reservation("r" + i))));
                check(
                        cluster,
                        new Command.UpdateReservation(
                                cluster.now(), "", ADMIN, anyReservation(change("demo"))));
                cluster.advance(Duration.ofSeconds(random.nextInt(100_000)));
            }
        }
    }

    private static Heart busy() {
        var cluster = Lab.set(Heart.with(4, node()));
        cluster.reserve(reservation("demo").on("node[3-4]"));
        cluster.run(job());
        cluster.submit(job().array("0-4%2"));
        cluster.submit(job().reservation("demo"));
        return cluster;
    }

    private static void check(Heart cluster, Command command) {
        assertThatCode(
                        () -> {
                            cluster.apply(command);
                            cluster.schedule();
                            var bytes = new ByteArrayOutputStream();
                            SnapshotCodec.write(cluster.snapshot(), bytes::write);
                            SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);
                        })
                .as("%s", command)
                .doesNotThrowAnyException();
    }

    private ReservationRequest anyReservation(ReservationFixture asked) {
        switch (random.nextInt(4)) {
            case 0 -> asked.on("ALL");
            case 1 -> asked.on("node[1-2]");
            case 2 -> asked.nodes(1 + random.nextInt(5));
            default -> {}
        }
        if (random.nextBoolean()) {
            asked.starts(TIMES.get(random.nextInt(TIMES.size())));
        }
        if (random.nextBoolean()) {
            asked.lasts(DURATIONS.get(random.nextInt(DURATIONS.size())));
        } else if (random.nextBoolean()) {
            asked.ends(TIMES.get(random.nextInt(TIMES.size())));
        }
        var flags = ReservationFlag.values();
        for (var i = random.nextInt(4); i > 0; i--) {
            asked.with(flags[random.nextInt(flags.length)]);
        }
        return asked.request();
    }

    /// The time of a command is the leader's, and not what somebody says.
    private static Command at(Command command, Instant time) throws ReflectiveOperationException {
        var parts = command.getClass().getRecordComponents();
        var values = new Object[parts.length];
        for (var i = 0; i < parts.length; i++) {
            parts[i].getAccessor().setAccessible(true);
            values[i] =
                    parts[i].getName().equals("at") ? time : parts[i].getAccessor().invoke(command);
        }
        var types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
        var constructor = command.getClass().getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return (Command) constructor.newInstance(values);
    }
}
