package dev.spur.agent.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Devices as the kernel names them: `c 195:3`.
final class DeviceNumbers {
    private static final int TYPE = 0170000;
    private static final int CHARACTER = 0020000;
    private static final int BLOCK = 0060000;

    private DeviceNumbers() {}

    /// Files that are missing, or no devices, cannot be opened as such: they are left out.
    static List<String> of(List<String> files) throws IOException {
        var numbers = new ArrayList<String>();
        for (var file : files) {
            var path = Path.of(file);
            if (!Files.exists(path)) {
                continue;
            }
            switch ((int) Files.getAttribute(path, "unix:mode") & TYPE) {
                case CHARACTER -> numbers.add("c " + number(path));
                case BLOCK -> numbers.add("b " + number(path));
                default -> {}
            }
        }
        return numbers;
    }

    private static String number(Path device) throws IOException {
        var number = (long) Files.getAttribute(device, "unix:rdev");
        var major = number >> 8 & 0xfff;
        var minor = number & 0xff | number >> 12 & 0xfff00;
        return "%d:%d".formatted(major, minor);
    }
}
