package dev.spur.agent.step;

import java.io.IOException;

/// Starts processes that read users' files in their rights.
@FunctionalInterface
public interface FileReaders {
    FileReader open(FileReader.UserFile file, FileReader.Listener listener) throws IOException;
}
