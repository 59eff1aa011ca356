package dev.spur.agent.step;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes a [StepPlan] as the supervisor reads it: tagged fields, see native/step/README.md.
final class LaunchMessage {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private LaunchMessage() {}

    /// What the cloud starts in sessions; only the node knows where it is.
    private static final String RELAY = "spur-relay";

    private static List<String> arguments(StepPlan plan, Path programs) {
        var arguments = plan.arguments();
        if (arguments.isEmpty() || !arguments.getFirst().equals(RELAY)) {
            return arguments;
        }
        var known = new ArrayList<>(arguments);
        known.set(0, programs.resolve(RELAY).toString());
        return known;
    }

    /// @param programs where this distribution's own programs are
    static byte[] encode(
            StepPlan plan,
            @Nullable Duration lease,
            Path directory,
            Path session,
            CgroupDriver.StepCgroup cgroup,
            Path programs) {
        var message = new LaunchMessage();
        message.number(1, 1)
                .number(2, Integer.toUnsignedLong(plan.key().job()))
                .text(3, plan.key().step().toString())
                .number(4, plan.key().attempt())
                .text(5, plan.node())
                .text(6, directory.toString())
                .number(7, Integer.toUnsignedLong(plan.user().uid()))
                .number(8, Integer.toUnsignedLong(plan.user().gid()));
        plan.user().groups().forEach(group -> message.number(9, Integer.toUnsignedLong(group)));
        arguments(plan, programs).forEach(argument -> message.text(10, argument));
        plan.environment().forEach(variable -> message.field(11, latin1(variable)));
        var login = plan.login();
        if (login != null) {
            message.text(32, login.shell()).number(33, login.patience().toMillis());
            login.account().forEach(variable -> message.field(34, latin1(variable)));
        }
        message.text(12, plan.workDirectory()).number(13, plan.umask());
        plan.softLimits().forEach(limit -> message.text(14, limit));
        plan.nodeLimits().forEach(limit -> message.text(30, limit));
        message.number(15, plan.nice()).text(16, plan.cpus());
        cgroup.directories().forEach(path -> message.text(17, path.toString()));
        if (cgroup.memory() != null) {
            message.text(18, cgroup.memory().toString());
        }
        cgroup.deniedDevices().forEach(device -> message.text(28, device));
        if (plan.script() != null) {
            message.field(19, plan.script().toByteArray());
        }
        message.times(plan);
        if (lease != null) {
            message.number(29, Math.max(0, lease.toMillis()));
        }
        plan.tasks().forEach(task -> message.field(27, encode(task)));
        message.session(plan, session);
        return message.bytes.toByteArray();
    }

    /// @param file that names it
    private void session(StepPlan plan, Path file) {
        var session = plan.session();
        if (session == null) {
            return;
        }
        text(36, file.toString());
        if (!session.shown().isEmpty()) {
            text(40, session.shown());
        }
        var user = session.user();
        if (user != null) {
            text(37, user.home());
            text(38, user.passwd(plan.user()));
            text(39, user.group(plan.user()));
        }
    }

    private void times(StepPlan plan) {
        if (plan.timeLimit() != null) {
            number(20, Math.max(0, plan.timeLimit().toMillis()));
        }
        if (plan.stepLimit() != null) {
            number(31, Math.max(0, plan.stepLimit().toMillis()));
        }
        number(21, plan.killWait().toMillis());
        if (plan.warning() != null) {
            number(22, plan.warning().signal());
            number(23, plan.warning().before().toMillis());
            number(24, plan.warning().firstProcessOnly() ? 1 : 0);
        }
        number(25, plan.killOnBadExit() ? 1 : 0);
        if (plan.terminal() != null) {
            number(26, (long) plan.terminal().rows() << 16 | plan.terminal().columns());
            if (plan.terminal().kept() > 0) {
                number(35, plan.terminal().kept());
            }
        }
    }

    private static byte[] encode(TaskPlan task) {
        var message = new LaunchMessage();
        message.number(1, Integer.toUnsignedLong(task.rank())).number(2, task.localId());
        task.environment().forEach(variable -> message.field(3, latin1(variable)));
        message.text(4, task.input().spelling())
                .text(5, task.output().spelling())
                .text(6, task.error().spelling());
        task.arguments().forEach(argument -> message.text(8, argument));
        var binding = task.binding();
        if (!binding.cpus().isEmpty()) {
            message.text(7, binding.cpus());
        }
        if (!binding.report().isEmpty()) {
            message.text(9, binding.report());
        }
        return message.bytes.toByteArray();
    }

    /// Variables are bytes, not text; each char is one of them (see StepEnvironment).
    private static byte[] latin1(String variable) {
        return variable.getBytes(StandardCharsets.ISO_8859_1);
    }

    private LaunchMessage number(int tag, long value) {
        return field(tag, ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    private LaunchMessage text(int tag, String value) {
        return field(tag, value.getBytes(StandardCharsets.UTF_8));
    }

    private LaunchMessage field(int tag, byte[] value) {
        bytes.writeBytes(
                ByteBuffer.allocate(Short.BYTES + Integer.BYTES)
                        .putShort((short) tag)
                        .putInt(value.length)
                        .array());
        bytes.writeBytes(value);
        return this;
    }
}
