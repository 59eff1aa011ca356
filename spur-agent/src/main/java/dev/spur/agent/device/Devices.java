package dev.spur.agent.device;

import dev.spur.api.v1.NodeGres;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.GresRequest;
import dev.spur.runtime.config.DevicesConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/// Generic resources of a node: said in the configuration, or found under `/dev`.
///
/// @param gpuFiles the device file of each GPU by its index, empty if they are only counted
public record Devices(List<NodeGres> gres, List<String> gpuFiles) {
    private static final Path DEV = Path.of("/dev");
    private static final Pattern NVIDIA = Pattern.compile("nvidia[0-9]+");
    private static final Pattern RENDER = Pattern.compile("renderD[0-9]+");

    public Devices {
        gres = List.copyOf(gres);
        gpuFiles = List.copyOf(gpuFiles);
    }

    /// Devices that exist by word alone: `gpu:mi300x:8`. They have indices and nothing else.
    public static Devices pretend(List<String> words) {
        var gres = new ArrayList<NodeGres>();
        for (var word : words) {
            for (var item : GresRequest.parse(word).items()) {
                gres.add(
                        gres(
                                item.name(),
                                item.type() == null ? "" : item.type(),
                                (int) item.count(),
                                List.of()));
            }
        }
        return new Devices(gres, List.of());
    }

    /// `[[devices.gres]]` of the configuration, and GPUs that are there.
    public static Devices of(DevicesConfig config) throws IOException {
        return of(config, DEV);
    }

    static Devices of(DevicesConfig config, Path dev) throws IOException {
        var gres = new ArrayList<NodeGres>();
        for (var entry : config.gres()) {
            var files = files(entry);
            var count = entry.count() != null ? entry.count() : Math.max(1, files.size());
            gres.add(gres(entry.name(), entry.type() == null ? "" : entry.type(), count, files));
        }
        var said = gres.stream().anyMatch(one -> one.getName().equals("gpu"));
        if (!said && config.autoDetect()) {
            gres.addAll(found(dev));
        }
        return new Devices(
                gres,
                gres.stream()
                        .filter(one -> one.getName().equals("gpu"))
                        .flatMap(one -> one.getFilesList().stream())
                        .toList());
    }

    /// `/dev/nvidia[0-3]` names four files, as a hostlist names hosts.
    private static List<String> files(DevicesConfig.Gres entry) {
        var pattern = entry.file() != null ? entry.file() : entry.multipleFiles();
        return pattern == null ? List.of() : Hostlist.parse(pattern).hosts();
    }

    private static List<NodeGres> found(Path dev) throws IOException {
        var nvidia = matching(dev, NVIDIA);
        if (!nvidia.isEmpty()) {
            return List.of(gres("gpu", "nvidia", nvidia.size(), nvidia));
        }
        if (!Files.exists(dev.resolve("kfd"))) {
            return List.of();
        }
        var amd = matching(dev.resolve("dri"), RENDER);
        return amd.isEmpty() ? List.of() : List.of(gres("gpu", "amd", amd.size(), amd));
    }

    private static List<String> matching(Path directory, Pattern name) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (var entries = Files.list(directory)) {
            return entries.filter(
                            entry -> name.matcher(String.valueOf(entry.getFileName())).matches())
                    .map(Path::toString)
                    .sorted(
                            Comparator.comparingInt(String::length)
                                    .thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
    }

    private static NodeGres gres(String name, String type, int count, List<String> files) {
        return NodeGres.newBuilder()
                .setName(name)
                .setType(type)
                .setCount(count)
                .addAllFiles(files)
                .build();
    }
}
