package dev.spur.runtime.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `[kubernetes]` in spur.conf: nodes of an existing Kubernetes cluster.
public record KubernetesConfig(
        @Means("Whether nodes of a Kubernetes cluster run jobs") @Key(notYetUsed = true)
                boolean enabled,
        @Means("How to reach it") @Key(notYetUsed = true) @Nullable Path kubeconfig,
        @Means("Where the Pods of jobs are") @Key(notYetUsed = true) String namespace,
        @Means("Which of its nodes") @Key(notYetUsed = true) String nodeLabelSelector) {

    public static final KubernetesConfig DEFAULTS =
            new KubernetesConfig(false, null, "spur", "spur.amd.com/managed=true");
}
