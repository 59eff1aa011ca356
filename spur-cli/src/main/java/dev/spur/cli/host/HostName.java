package dev.spur.cli.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The name of this host by the kernel's word: resolvers may be slow.
public final class HostName {
    private HostName() {}

    /// Without the domain; empty where the kernel does not tell.
    public static String brief() {
        try {
            var name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            int dot = name.indexOf('.');
            return dot < 0 ? name : name.substring(0, dot);
        } catch (IOException e) {
            return "";
        }
    }
}
