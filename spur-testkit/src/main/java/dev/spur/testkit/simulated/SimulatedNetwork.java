package dev.spur.testkit.simulated;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Carries messages between hosts: in order on one connection, with delays of chance, so those of
/// different connections overtake each other.
final class SimulatedNetwork {
    private static final Duration USUAL_DELAY = Duration.ofMillis(5);
    private static final Duration LONG_DELAY = Duration.ofSeconds(8);
    private static final int LONG_ONE_OF = 10;
    private static final Duration SILENCE_NOTICED_WITHIN = Duration.ofSeconds(40);
    private static final Duration DEATH_NOTICED_WITHIN = Duration.ofSeconds(1);

    private final SimulatedTime time;
    private final Set<String> cutOff = new HashSet<>();
    private final Set<Wire> cut = new HashSet<>();
    private final List<Connection> connections = new ArrayList<>();
    private final Traffic traffic = new Traffic();
    private boolean rough;

    private record Wire(String one, String other) {
        static Wire between(String a, String b) {
            return a.compareTo(b) < 0 ? new Wire(a, b) : new Wire(b, a);
        }
    }

    SimulatedNetwork(SimulatedTime time) {
        this.time = time;
    }

    /// @param nowRough whether some messages take seconds
    void isRough(boolean nowRough) {
        rough = nowRough;
    }

    Duration delay() {
        var slow = rough && time.random().nextInt(LONG_ONE_OF) == 0;
        return time.between(Duration.ZERO, slow ? LONG_DELAY : USUAL_DELAY);
    }

    boolean reaches(String one, String other) {
        return !cutOff.contains(one)
                && !cutOff.contains(other)
                && !cut.contains(Wire.between(one, other));
    }

    Traffic traffic() {
        return traffic;
    }

    Connection connect(SimulatedAgent.Life agent, SimulatedController.Life controller) {
        connections.removeIf(Connection::isOver);
        var connection = new Connection(time, this, agent, controller);
        connections.add(connection);
        return connection;
    }

    /// From everybody. What is under way is lost, and each end finds out by itself that nothing
    /// comes any more.
    void cutOff(String host) {
        cutOff.add(host);
        breakThose(connection -> connection.isOf(host), SILENCE_NOTICED_WITHIN);
    }

    /// These two from each other.
    void cut(String one, String other) {
        cut.add(Wire.between(one, other));
        breakThose(
                connection -> connection.isOf(one) && connection.isOf(other),
                SILENCE_NOTICED_WITHIN);
    }

    void heal(String host) {
        cutOff.remove(host);
        cut.removeIf(wire -> wire.one().equals(host) || wire.other().equals(host));
    }

    void healAll() {
        cutOff.clear();
        cut.clear();
    }

    /// The host says at once that nobody listens any more.
    void died(SimulatedAgent.Life agent) {
        breakThose(connection -> connection.isOf(agent), DEATH_NOTICED_WITHIN);
    }

    void died(SimulatedController.Life controller) {
        breakThose(connection -> connection.isTo(controller), DEATH_NOTICED_WITHIN);
    }

    private void breakThose(Predicate<Connection> which, Duration noticedWithin) {
        connections.stream()
                .filter(which)
                .forEach(connection -> connection.breakDown(noticedWithin));
    }
}
