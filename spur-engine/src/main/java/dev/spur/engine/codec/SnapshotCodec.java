package dev.spur.engine.codec;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.rules.StateLoader;
import dev.spur.engine.state.Snapshot;

/// Bytes of a whole state. Equal states give equal bytes, and nothing is held in memory beside the
/// state but a frame when it is written and a few when it is read.
public final class SnapshotCodec {
    private SnapshotCodec() {}

    /// Takes the next bytes, as `OutputStream::write` does.
    public interface Sink<X extends Exception> {
        void write(byte[] bytes, int offset, int length) throws X;
    }

    /// Gives the next bytes, as `InputStream::read` does: how many there were, -1 at the end.
    public interface Source<X extends Exception> {
        int read(byte[] bytes, int offset, int length) throws X;
    }

    /// Who decodes. Parts of a state are independent until they are put together, and the heart has
    /// no threads of its own.
    public interface Workers {
        /// Whoever asks does it, when the result is due.
        Workers NONE = work -> work;

        /// Begins the work, and gives what waits for its end and throws what it threw.
        Runnable begin(Runnable work);
    }

    /// Call it from any thread: a snapshot does not change.
    public static <X extends Exception> void write(Snapshot state, Sink<X> sink) throws X {
        var frames = new FrameWriter<>(sink);
        frames.write(
                new StatePart.Header(
                        state.now(),
                        state.counters(),
                        state.config(),
                        state.credentials(),
                        state.tres(),
                        state.accounts().numbers(),
                        state.usage().countedAt(),
                        state.recording(),
                        state.reservations().made()));
        for (var edit : state.partitionEdits()) {
            frames.write(new StatePart.PartitionRow(edit));
        }
        for (var reservation : state.reservations().list()) {
            frames.write(new StatePart.ReservationRow(reservation));
        }
        writeAccounts(state.accounts(), frames);
        for (var usage : state.usage().associations()) {
            frames.write(new StatePart.UsageRow(usage));
        }
        for (var usage : state.usage().qos()) {
            frames.write(new StatePart.QosUsageRow(usage));
        }
        for (var node : state.nodes()) {
            frames.write(new StatePart.NodeRow(node));
        }
        for (var array : state.arrays()) {
            frames.write(new StatePart.ArrayRow(array));
        }
        for (var job : state.jobs()) {
            frames.write(new StatePart.JobRow(job));
        }
        for (var request : state.requests()) {
            frames.write(new StatePart.RequestRow(request));
        }
        frames.end();
    }

    private static <X extends Exception> void writeAccounts(
            Accounts accounts, FrameWriter<X> frames) throws X {
        for (var account : accounts.accounts().values()) {
            frames.write(new StatePart.AccountRow(account));
        }
        for (var user : accounts.users().values()) {
            frames.write(new StatePart.UserRow(user));
        }
        for (var association : accounts.associations().values()) {
            frames.write(new StatePart.AssociationRow(association));
        }
        for (var qos : accounts.qos().values()) {
            frames.write(new StatePart.QosRow(qos));
        }
        for (var wckey : accounts.wckeys().values()) {
            frames.write(new StatePart.WckeyRow(wckey));
        }
    }

    /// A state that goes on as the written one did.
    ///
    /// @throws CodecException if the bytes are damaged or cut off, or a newer release wrote them
    public static <X extends Exception> ClusterState read(Source<X> source) throws X {
        return read(source, Workers.NONE);
    }

    /// The same with helpers. What they began they end also if this fails.
    public static <X extends Exception> ClusterState read(Source<X> source, Workers workers)
            throws X {
        var loader = new StateLoader();
        new FrameReader<>(source, workers).readAll(part -> load(part, loader));
        return loader.loaded();
    }

    private static void load(StatePart part, StateLoader loader) {
        switch (part) {
            case StatePart.Header(
                            var now,
                            var counters,
                            var config,
                            var credentials,
                            var tres,
                            var numbers,
                            var countedAt,
                            var recording,
                            var reservationsMade) ->
                    loader.header(
                            now,
                            counters,
                            config,
                            credentials,
                            tres,
                            numbers,
                            countedAt,
                            recording,
                            reservationsMade);
            case StatePart.PartitionRow(var edit) -> loader.add(edit);
            case StatePart.ReservationRow(var reservation) -> loader.add(reservation);
            case StatePart.UsageRow(var usage) -> loader.addUsage(usage);
            case StatePart.QosUsageRow(var usage) -> loader.addQosUsage(usage);
            case StatePart.AccountRow(var account) -> loader.accounts().add(account);
            case StatePart.UserRow(var user) -> loader.accounts().add(user);
            case StatePart.AssociationRow(var association) -> loader.accounts().add(association);
            case StatePart.QosRow(var qos) -> loader.accounts().add(qos);
            case StatePart.WckeyRow(var wckey) -> loader.accounts().add(wckey);
            case StatePart.NodeRow(var node) -> loader.add(node);
            case StatePart.ArrayRow(var array) -> loader.add(array);
            case StatePart.JobRow(var job) -> loader.add(job);
            case StatePart.RequestRow(var request) -> loader.add(request);
            case StatePart.End _ -> {}
        }
    }
}
