package dev.spur.cloud.reach;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// Shells without programs: a test prints for them and sees what was typed.
public final class LocalShells implements Shells {
    private final Map<String, Shell> started = new HashMap<>();
    private @Nullable String refusal;

    /// A shell as its test sees it.
    public static final class Shell {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final List<LookingOn> viewers = new CopyOnWriteArrayList<>();
        private final LinkedBlockingQueue<String> typed = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<String> sizes = new LinkedBlockingQueue<>();
        private @Nullable ProgramEnd end;

        public synchronized void print(byte[] bytes) {
            kept.writeBytes(bytes);
            viewers.forEach(viewer -> viewer.queue.add(bytes));
        }

        public void print(String text) {
            print(text.getBytes(StandardCharsets.UTF_8));
        }

        public synchronized void end(ProgramEnd how) {
            end = how;
            viewers.forEach(LookingOn::finish);
        }

        public String typed() throws InterruptedException {
            return typed.take();
        }

        /// The next size that it got, as `ROWSxCOLUMNS`.
        public String size() throws InterruptedException {
            return sizes.take();
        }

        public int viewers() {
            return viewers.size();
        }
    }

    public synchronized void refuse(String why) {
        refusal = why;
    }

    public synchronized Shell shell(String requestId) {
        return started.computeIfAbsent(requestId, _ -> new Shell());
    }

    public synchronized int count() {
        return started.size();
    }

    public synchronized Shell only() {
        return started.values().iterator().next();
    }

    @Override
    public synchronized String start(String requestId, int rows, int columns) {
        if (refusal != null) {
            throw new NotReachedException(refusal);
        }
        shell(requestId).sizes.add(rows + "x" + columns);
        return requestId;
    }

    @Override
    public View view(String name, Viewer viewer) {
        var shell = shell(name);
        synchronized (shell) {
            if (shell.end != null) {
                throw new ShellGoneException("the shell has ended", new IllegalStateException());
            }
            var looking = new LookingOn(shell, viewer);
            looking.queue.add(shell.kept.toByteArray());
            shell.viewers.add(looking);
            looking.thread.start();
            return looking;
        }
    }

    private static final class LookingOn implements View {
        private static final byte[] END = new byte[0];

        private final Shell shell;
        private final Viewer viewer;
        private final LinkedBlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
        private final Thread thread = Thread.ofVirtual().unstarted(this::run);

        LookingOn(Shell shell, Viewer viewer) {
            this.shell = shell;
            this.viewer = viewer;
        }

        private void run() {
            try {
                for (var bytes = queue.take(); bytes != END; bytes = queue.take()) {
                    if (bytes.length > 0) {
                        viewer.data(bytes);
                    }
                }
                viewer.ended(java.util.Objects.requireNonNull(shell.end));
            } catch (InterruptedException | IOException _) {
                shell.viewers.remove(this);
            }
        }

        private void finish() {
            queue.add(END);
        }

        @Override
        public void type(byte[] bytes) {
            shell.typed.add(new String(bytes, StandardCharsets.UTF_8));
        }

        @Override
        public void resize(int rows, int columns) {
            shell.sizes.add(rows + "x" + columns);
        }

        @Override
        public void close() {
            shell.viewers.remove(this);
            thread.interrupt();
        }
    }
}
