package dev.spur.agent.output;

import dev.spur.agent.step.FileReader;
import dev.spur.agent.step.FileReaders;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The files that somebody reads here now.
final class SharedFiles {
    /// A process each.
    private static final int MOST = 1_024;

    private static final int MOST_OF_ONE_USER = 256;

    private final FileReaders readers;
    private final Map<FileReader.UserFile, SharedFile> open = new HashMap<>();

    SharedFiles(FileReaders readers) {
        this.readers = readers;
    }

    /// @return empty if too many files are read already
    Optional<SharedFile> join(FileReader.UserFile file) throws IOException {
        SharedFile shared;
        synchronized (this) {
            var known = open.get(file);
            if (known != null && known.isUsable()) {
                shared = known;
            } else {
                if (isFull(file.uid())) {
                    return Optional.empty();
                }
                shared = new SharedFile(file);
                open.put(file, shared);
            }
            shared.join();
        }
        try {
            shared.open(readers);
            return Optional.of(shared);
        } catch (IOException | RuntimeException e) {
            leave(shared);
            throw e;
        }
    }

    private boolean isFull(int uid) {
        return open.size() >= MOST
                || open.keySet().stream().filter(file -> file.uid() == uid).count()
                        >= MOST_OF_ONE_USER;
    }

    void leave(SharedFile file) {
        synchronized (this) {
            if (!file.leave()) {
                return;
            }
            open.remove(file.file(), file);
        }
        file.close();
    }
}
