package dev.spur.controller.accounting;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.Record;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.Step;
import dev.spur.model.JobId;
import dev.spur.model.StepId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes into the spool what each log entry means for accounting. Every controller does so with
/// every entry, from nothing but the state and its events: the records of an entry are the same
/// everywhere, and after every restart.
///
/// What changes twice within an entry is recorded once, as it is in the end, at the place where it
/// changed first: so a job comes before its steps. Called by the apply thread.
public final class Recorder {
    private final Spool spool;
    private NodeBook nodes = new NodeBook();
    private boolean isOn;

    public Recorder(Spool spool) {
        this.spool = spool;
    }

    /// What a record is about: of each thing, the last one of an entry counts.
    private sealed interface Subject {
        record OfJob(JobId job, int attempt) implements Subject {}

        record OfStep(JobId job, int attempt, StepId step) implements Subject {}

        record OfReservation(int number) implements Subject {}

        /// Each of these changes is told.
        record OfAccounts(int event, int part) implements Subject {}
    }

    /// @param state as it is after the entry
    public void applied(long entry, List<NumberedEvent> events, Snapshot state) {
        var changes = nodes.changes(events, state);
        var recording = state.recording();
        var begins = recording.begun() == entry;
        if ((isOn || begins) && entry >= spool.last().entry()) {
            var records = new EntryRecords(entry, state);
            if (isOn) {
                changes.forEach(records::add);
                ofJobs(events, state).values().forEach(records::add);
            }
            if (begins) {
                everything(state, records);
            }
            spool.append(entry, records.encoded());
        }
        isOn = recording.isOn();
    }

    /// The state is another one: a stored one, or another controller's.
    ///
    /// @param files that came with it
    public void restored(Snapshot state, Path files) throws IOException {
        spool.adopt(files);
        nodes = NodeBook.of(state);
        isOn = state.recording().isOn();
    }

    private Map<Subject, Record.Builder> ofJobs(List<NumberedEvent> events, Snapshot state) {
        var changed = new LinkedHashMap<Subject, Record.Builder>();
        for (var numbered : events) {
            switch (numbered.event()) {
                case Event.JobSubmitted(var job) -> add(job, state, changed);
                case Event.JobStarted(var job) -> {
                    add(job, state, changed);
                    job.steps()
                            .find(StepId.BATCH)
                            .ifPresent(script -> add(job, script, state, changed));
                }
                case Event.JobChanged(var job) -> add(job, state, changed);
                case Event.JobCompleting(var job) -> add(job, state, changed);
                case Event.JobEnded(var job) -> add(job, state, changed);
                case Event.JobRequeued(var job) -> add(job, state, changed);
                case Event.JobSuspended(var job) -> add(job, state, changed);
                case Event.JobResumed(var job) -> add(job, state, changed);
                case Event.ArrayDivided(var part) -> add(part, state, changed);
                case Event.StepCreated(var job, var step) -> add(job, step, state, changed);
                case Event.StepCancelled(var job, var step) -> add(job, step, state, changed);
                case Event.StepFinished(var job, var step) -> add(job, step, state, changed);
                case Event.AccountsChanged(var actor, var news) ->
                        AccountRecords.of(actor, news, state)
                                .forEach(part ->
                                        changed.put(
                                                new Subject.OfAccounts(
                                                        numbered.ordinal(), changed.size()),
                                                Record.newBuilder().setAccounts(part)));
                case Event.ReservationChanged(var reservation) ->
                        changed.put(
                                new Subject.OfReservation(reservation.number()),
                                Record.newBuilder()
                                        .setReservation(
                                                ReservationRecords.of(reservation, state, false)));
                case Event.ReservationRemoved(var reservation) ->
                        changed.put(
                                new Subject.OfReservation(reservation.number()),
                                Record.newBuilder()
                                        .setReservation(
                                                ReservationRecords.of(reservation, state, true)));
                case Event.StepEndedOn _,
                        Event.JobForgotten _,
                        Event.NodeChanged _,
                        Event.ConfigApplied _,
                        Event.PartitionChanged _,
                        Event.PartitionRemoved _,
                        Event.CredentialsChanged _ -> {}
            }
        }
        return changed;
    }

    private static void add(Job job, Snapshot state, Map<Subject, Record.Builder> changed) {
        changed.put(
                new Subject.OfJob(job.id(), job.attempt()),
                Record.newBuilder().setJob(JobRecords.of(job, state)));
    }

    private static void add(
            Job job, Step step, Snapshot state, Map<Subject, Record.Builder> changed) {
        changed.put(
                new Subject.OfStep(job.id(), job.attempt(), step.id()),
                Record.newBuilder().setStep(StepRecords.of(job, step, state)));
    }

    /// Where a database begins: nothing that is alive is missing.
    private void everything(Snapshot state, EntryRecords records) {
        records.add(Record.newBuilder().setCluster(nodes.cluster(state).setBegins(true)));
        AccountRecords.all(state)
                .forEach(record -> records.add(Record.newBuilder().setAccounts(record)));
        for (var node : state.nodes()) {
            records.add(Record.newBuilder().setNode(NodeRecords.of(node, state.tres())));
        }
        for (var reservation : state.reservations().list()) {
            records.add(
                    Record.newBuilder()
                            .setReservation(ReservationRecords.of(reservation, state, false)));
        }
        for (var job : state.jobs()) {
            records.add(Record.newBuilder().setJob(JobRecords.of(job, state)));
            for (var step : job.steps().live()) {
                records.add(Record.newBuilder().setStep(StepRecords.of(job, step, state)));
            }
        }
    }

    /// The records of one entry in the order in which they were added.
    private static final class EntryRecords {
        private final long entry;
        private final long at;
        private final List<byte[]> encoded = new ArrayList<>();

        EntryRecords(long entry, Snapshot state) {
            this.entry = entry;
            this.at = InstantMapper.toMicros(state.now());
        }

        void add(Record.Builder record) {
            encoded.add(
                    record.setEntry(entry)
                            .setOrdinal(encoded.size() + 1)
                            .setAtMicros(at)
                            .build()
                            .toByteArray());
        }

        List<byte[]> encoded() {
            return encoded;
        }
    }
}
