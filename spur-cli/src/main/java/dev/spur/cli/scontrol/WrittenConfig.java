package dev.spur.cli.scontrol;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.GetConfigRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.cli.UserFiles;
import java.io.IOException;
import java.util.TreeMap;

/// `write config`: what the cluster is configured for, in Slurm's names and form. What spurctld
/// reads is another file: see spur.conf(5).
final class WrittenConfig {
    private static final String USUAL_FILE = "slurm.conf";

    private WrittenConfig() {}

    /// @param file empty: slurm.conf, in the caller's directory
    static int write(Session session, String file) throws IOException {
        String text;
        String path;
        try {
            var config =
                    session.controller()
                            .call(controller ->
                                    controller.getConfig(GetConfigRequest.getDefaultInstance()));
            var reply =
                    session.controller()
                            .call(controller ->
                                    controller.listNodes(ListNodesRequest.getDefaultInstance()));
            var view = session.view(reply.getNowMicros());
            var now = view.times().text(reply.getNowMicros(), "");
            path = (file.isEmpty() ? USUAL_FILE : file) + "." + now;
            var lines = new StringBuilder();
            lines.append("# Configuration of cluster ")
                    .append(config.getCluster())
                    .append(" as of ")
                    .append(now)
                    .append("\n# In Slurm's names, to be read; spurctld has spur.conf.\n#\n");
            lines.append("ClusterName=").append(config.getCluster()).append('\n');
            new TreeMap<>(config.getValuesMap())
                    .forEach((key, value) -> {
                        if (!key.equals("ClusterName")) {
                            lines.append(key).append('=').append(quoted(value)).append('\n');
                        }
                    });
            lines.append("#\n");
            for (var node : reply.getNodesList()) {
                lines.append(
                        "NodeName=%s CPUs=%d Sockets=%d CoresPerSocket=%d ThreadsPerCore=%d RealMemory=%d%s%s\n"
                                .formatted(
                                        node.getName(),
                                        node.getCpus(),
                                        node.getSockets(),
                                        node.getCoresPerSocket(),
                                        node.getThreadsPerCore(),
                                        node.getMemoryMb(),
                                        node.getGres().isEmpty() ? "" : " Gres=" + node.getGres(),
                                        node.getFeaturesCount() == 0
                                                ? ""
                                                : " Feature="
                                                        + String.join(
                                                                ",", node.getFeaturesList())));
            }
            lines.append("#\n");
            for (var partition : reply.getPartitionsList()) {
                lines.append(PartitionRecord.of(partition, true).strip()).append('\n');
            }
            text = lines.toString();
        } catch (ControllerException refusal) {
            return session.fail("slurm_write_ctl_conf error: " + Verbs.told(refusal));
        }
        try (var out = session.in().files().write(path, UserFiles.WriteMode.TRUNCATE)) {
            out.write(text.getBytes(session.in().charset()));
        }
        session.out().println("Slurm config saved to " + path);
        return 0;
    }

    private static String quoted(String value) {
        return value.isEmpty() ? "(null)" : value.contains(" ") ? '"' + value + '"' : value;
    }
}
