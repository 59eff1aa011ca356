package dev.spur.testkit.simulated;

import java.util.Random;

/// What an administrator changes in spur.conf while jobs run.
///
/// @param leased `lost_node = "lease_kill"`
/// @param minJobAgeSecs how long ended jobs stay known
/// @param maxJobs how many jobs are known at once
/// @param otherNodes the nodes of the partition `other`, a hostlist
record SimulatedRules(
        boolean leased,
        int leaseSecs,
        int killWaitSecs,
        int minJobAgeSecs,
        int maxJobs,
        String otherNodes) {
    private static final int FOR_EVER = 8_640_000;

    /// Ended jobs stay known: specifications look at them.
    static SimulatedRules of(boolean leased) {
        return new SimulatedRules(leased, 300, 30, FOR_EVER, 100_000, "ALL");
    }

    SimulatedRules withMinJobAge(int secs) {
        return new SimulatedRules(leased, leaseSecs, killWaitSecs, secs, maxJobs, otherNodes);
    }

    SimulatedRules withMaxJobs(int most) {
        return new SimulatedRules(leased, leaseSecs, killWaitSecs, minJobAgeSecs, most, otherNodes);
    }

    SimulatedRules changed(Random random) {
        return switch (random.nextInt(5)) {
            case 0, 1 ->
                    new SimulatedRules(
                            !leased, leaseSecs, killWaitSecs, minJobAgeSecs, maxJobs, otherNodes);
            case 2 ->
                    new SimulatedRules(
                            leased,
                            leaseSecs == 300 ? 120 : 300,
                            killWaitSecs,
                            minJobAgeSecs,
                            maxJobs,
                            otherNodes);
            case 3 ->
                    new SimulatedRules(
                            leased,
                            leaseSecs,
                            killWaitSecs == 30 ? 60 : 30,
                            minJobAgeSecs,
                            maxJobs,
                            otherNodes);
            default ->
                    new SimulatedRules(
                            leased,
                            leaseSecs,
                            killWaitSecs,
                            minJobAgeSecs,
                            maxJobs,
                            otherNodes.equals("ALL") ? "node[1-2]" : "ALL");
        };
    }
}
