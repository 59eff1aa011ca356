package dev.spur.engine.codec;

import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.AccountsChange;
import dev.spur.engine.account.AccountsEntity;
import dev.spur.engine.account.AccountsSelector;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.RememberedAnswer;
import dev.spur.engine.state.RememberedRequest;
import dev.spur.engine.state.RequestKind;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// Bytes that a release wrote and what it meant by them, under `golden/`. They are never changed: a
/// release that writes something new adds files with the next number, by running `main` here in the
/// module's directory. Only the files of a release that is not out yet are written again.
final class Golden {
    private static final Path DIRECTORY = Path.of("src/test/resources/golden");

    private Golden() {}

    static byte[] bytes(String name) {
        try (var in = Golden.class.getResourceAsStream("/golden/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no golden file " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> lines(String name) {
        return new String(bytes(name), StandardCharsets.UTF_8).lines().toList();
    }

    /// Every command, and every change that one can hold.
    private static List<Command> commands() {
        var generated = new Generated(1);
        var commands = new ArrayList<Command>();
        for (var i = 0; i < 3; i++) {
            commands.addAll(generated.oneOfEach(Command.class));
        }
        commands.add(
                new Command.UpdateJobs(
                        Instant.EPOCH,
                        "",
                        Actor.CLUSTER,
                        List.of(),
                        generated.oneOfEach(JobChange.class)));
        commands.add(
                new Command.UpdateNodes(
                        Instant.EPOCH,
                        "",
                        Actor.CLUSTER,
                        List.of(),
                        generated.oneOfEach(NodeChange.class)));
        commands.add(
                new Command.ChangeAccounts(
                        Instant.EPOCH, "", Actor.CLUSTER, accountsChanges(generated), 1));
        return commands;
    }

    /// Every change, and every setting that one can hold.
    private static List<AccountsChange> accountsChanges(Generated generated) {
        var changes = new ArrayList<>(generated.oneOfEach(AccountsChange.class));
        changes.add(
                new AccountsChange.Modify(
                        AccountsEntity.QOS,
                        AccountsSelector.named("normal"),
                        generated.oneOfEach(AccountSetting.class)));
        return changes;
    }

    /// Every part of a state, jobs in every phase, every answer.
    private static List<StatePart> parts() {
        var generated = new Generated(1);
        var parts = new ArrayList<StatePart>();
        parts.add(generated.value(StatePart.Header.class));
        parts.add(generated.value(StatePart.NodeRow.class));
        parts.add(generated.value(StatePart.ArrayRow.class));
        parts.add(generated.value(StatePart.AccountRow.class));
        parts.add(generated.value(StatePart.UserRow.class));
        parts.add(generated.value(StatePart.AssociationRow.class));
        parts.add(generated.value(StatePart.QosRow.class));
        parts.add(generated.value(StatePart.WckeyRow.class));
        parts.add(generated.value(StatePart.UsageRow.class));
        parts.add(generated.value(StatePart.QosUsageRow.class));
        var phases = new HashSet<Class<?>>();
        while (!phases.containsAll(Formats.membersOf(JobPhase.class))) {
            var job = generated.value(Job.class);
            if (phases.add(job.phase().getClass())) {
                parts.add(new StatePart.JobRow(job));
            }
        }
        for (var result : generated.oneOfEach(Result.class)) {
            parts.add(row(new RememberedAnswer.InFull(result)));
        }
        generated.oneOfEach(RememberedAnswer.class).forEach(answer -> parts.add(row(answer)));
        return parts;
    }

    private static StatePart row(RememberedAnswer answer) {
        return new StatePart.RequestRow(
                new RememberedRequest(
                        1, 1002, "request", RequestKind.SUBMIT_JOB, Instant.EPOCH, answer));
    }

    private static byte[] stored(List<StatePart> parts) {
        var bytes = new ByteArrayOutputStream();
        var frames = new FrameWriter<>(bytes::write);
        parts.forEach(frames::write);
        frames.end();
        return bytes.toByteArray();
    }

    static void main(String[] arguments) throws IOException {
        var number = arguments[0];
        var commands = commands();
        Files.createDirectories(DIRECTORY);
        Files.write(
                DIRECTORY.resolve("names-" + number + ".txt"),
                Vocabulary.of(Command.class, StatePart.class).lines());
        Files.write(
                DIRECTORY.resolve("commands-" + number + ".bin"), CommandCodec.encode(commands));
        Files.write(
                DIRECTORY.resolve("commands-" + number + ".txt"),
                commands.stream().map(Described::of).toList());
        Files.write(DIRECTORY.resolve("state-" + number + ".bin"), stored(parts()));
        Files.write(
                DIRECTORY.resolve("state-" + number + ".txt"),
                parts().stream().map(Described::of).toList());
    }
}
