package dev.spur.testkit.real;

/// One cluster for all specifications that leave it as they found it; it ends with the JVM.
final class SharedCluster {
    private static final RealCluster CLUSTER = started();

    private SharedCluster() {}

    static RealCluster get() {
        return CLUSTER;
    }

    private static RealCluster started() {
        var cluster = RealCluster.start(4);
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
        return cluster;
    }
}
