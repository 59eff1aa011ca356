package dev.spur.runtime.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `[kubernetes]` in spur.conf: nodes of an existing Kubernetes cluster.
public record KubernetesConfig(
        @Key(notYetUsed = true) boolean enabled,
        @Key(notYetUsed = true) @Nullable Path kubeconfig,
        @Key(notYetUsed = true) String namespace,
        @Key(notYetUsed = true) String nodeLabelSelector) {

    public static final KubernetesConfig DEFAULTS =
            new KubernetesConfig(false, null, "spur", "spur.amd.com/managed=true");
}
