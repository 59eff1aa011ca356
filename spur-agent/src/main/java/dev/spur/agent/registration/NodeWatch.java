package dev.spur.agent.registration;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks after the node itself: how busy it is, and whether it lacks what every job needs. It must
/// be able to say so without what is lacking, so nothing in here fails for want of a descriptor.
public final class NodeWatch implements Supplier<NodeLoad> {
    private static final Logger log = LoggerFactory.getLogger(NodeWatch.class);
    private static final long FEW_DESCRIPTORS = 64;
    private static final long LITTLE_SPACE = 16L << 20;

    private final Measured descriptors;
    private final Measured space;
    private final Supplier<NodeLoad> load;
    private NodeLoad last = new NodeLoad(0, 0, "");

    /// What is left of something. It counts as short until there is twice as much, so that a node
    /// does not come and go.
    private static final class Measured {
        private final LongSupplier left;
        private final long few;
        private final String complaint;
        private boolean isShort;

        Measured(LongSupplier left, long few, String complaint) {
            this.left = left;
            this.few = few;
            this.complaint = complaint;
        }

        String fault() {
            isShort = left.getAsLong() < (isShort ? 2 * few : few);
            return isShort ? complaint : "";
        }
    }

    /// @param load reads how busy the node is; may fail
    /// @param descriptorsLeft how many files this process may still open
    /// @param spaceLeft bytes that the spool still takes
    NodeWatch(
            Supplier<NodeLoad> load,
            LongSupplier descriptorsLeft,
            LongSupplier spaceLeft,
            Path spool) {
        this.load = load;
        this.descriptors =
                new Measured(
                        descriptorsLeft,
                        FEW_DESCRIPTORS,
                        "spurd is out of file descriptors: raise its limit (LimitNOFILE)");
        this.space =
                new Measured(spaceLeft, LITTLE_SPACE, "the disk of %s is full".formatted(spool));
    }

    public static NodeWatch ofThisMachine(Path spool) {
        return new NodeWatch(
                NodeWatch::readLoad, NodeWatch::descriptorsLeft, () -> spaceLeft(spool), spool);
    }

    @Override
    public synchronized NodeLoad get() {
        var fault = descriptors.fault();
        fault = fault.isEmpty() ? space.fault() : fault;
        if (!fault.equals(last.fault())) {
            tell(fault);
        }
        var now = read();
        last = new NodeLoad(now.hundredths(), now.freeMemoryMb(), fault);
        return last;
    }

    private static void tell(String fault) {
        if (fault.isEmpty()) {
            log.atInfo().log("the node is well again; jobs may start here");
        } else {
            log.atError().addKeyValue("fault", fault).log("no job should start on this node");
        }
    }

    private NodeLoad read() {
        try {
            return load.get();
        } catch (RuntimeException e) {
            log.atDebug().addKeyValue("cause", e.toString()).log("the load cannot be read");
            return last;
        }
    }

    private static NodeLoad readLoad() {
        try {
            var load = Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0];
            return new NodeLoad(
                    (int) Math.round(Double.parseDouble(load) * 100),
                    NodeFacts.meminfo("MemFree") / 1024,
                    "");
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the machine's load", e);
        }
    }

    /// Counting them needs one, too.
    private static long descriptorsLeft() {
        try {
            return ManagementFactory.getOperatingSystemMXBean()
                            instanceof UnixOperatingSystemMXBean system
                    ? system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount()
                    : Long.MAX_VALUE;
        } catch (InternalError _) {
            return 0;
        }
    }

    private static long spaceLeft(Path spool) {
        try {
            return Files.getFileStore(spool).getUsableSpace();
        } catch (IOException e) {
            log.atDebug().addKeyValue("cause", e.toString()).log("the spool cannot be asked");
            return Long.MAX_VALUE; // something else is wrong with it, and will say so
        }
    }
}
