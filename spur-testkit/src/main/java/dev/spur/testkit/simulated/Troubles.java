package dev.spur.testkit.simulated;

import java.time.Duration;
import java.util.Random;

/// Everything that may fail, at random.
final class Troubles {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(200);
    private static final Duration LONGEST_FAULT = Duration.ofMinutes(20);

    private final SimulatedCluster cluster;
    private final Random random;

    Troubles(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.random = cluster.random();
    }

    void any() {
        switch (random.nextInt(26)) {
            case 0 -> cluster.failController(anyController());
            case 1 -> cluster.killController(anyController());
            case 2, 3, 4, 5 -> cluster.restartControllers();
            case 6 -> cluster.cutOff(anyHost());
            case 7 -> cluster.cut(anyController(), anyHost());
            case 8, 9 -> cluster.heal(anyHost());
            case 10, 11 -> cluster.healAll();
            case 12 -> cluster.restartAgent(anyNode());
            case 13 -> cluster.reboot(anyNode());
            case 14 ->
                    cluster.pauseController(
                            anyController(), cluster.between(Duration.ZERO, LONGEST_PAUSE));
            case 15 -> cluster.pauseAgent(anyNode(), cluster.between(Duration.ZERO, LONGEST_PAUSE));
            case 16 ->
                    cluster.setClock(
                            anyController(), Duration.ofMillis(random.nextInt(16_000) - 8_000));
            case 17 -> cluster.setRough(random.nextInt(3) == 0);
            case 18 -> cluster.disk(anyController()).leaveFree(random.nextInt(3_000));
            case 19 -> cluster.disk(anyController()).makeRoom();
            case 20 -> cluster.disk(anyController()).failToSync(random.nextInt(3) == 0);
            case 21 -> cluster.nameGpus(anyNode(), random.nextBoolean() ? "mi300" : "");
            case 22 -> cluster.failControllers();
            case 23 -> cluster.changeLeader();
            case 24 -> cluster.failLaunches(anyNode(), anyDuration());
            case 25 -> cluster.nodes().forEach(node -> cluster.failLaunches(node, anyDuration()));
            default -> throw new IllegalStateException();
        }
    }

    /// Everything works again.
    void end() {
        cluster.setRough(false);
        cluster.healAll();
        cluster.nodes().forEach(node -> cluster.failLaunches(node, Duration.ZERO));
        for (var controller : cluster.controllers()) {
            cluster.disk(controller).makeRoom();
            cluster.disk(controller).failToSync(false);
            cluster.setClock(controller, Duration.ZERO);
        }
        cluster.restartControllers();
    }

    private Duration anyDuration() {
        return cluster.between(Duration.ZERO, LONGEST_FAULT);
    }

    private String anyHost() {
        return random.nextBoolean() ? anyNode() : anyController();
    }

    private String anyNode() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private String anyController() {
        return cluster.controllers().get(random.nextInt(cluster.controllers().size()));
    }
}
