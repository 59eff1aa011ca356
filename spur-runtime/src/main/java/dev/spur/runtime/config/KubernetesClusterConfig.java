package dev.spur.runtime.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// `[cluster]` in spur.conf: a Kubernetes cluster that Spur itself runs on its nodes.
public record KubernetesClusterConfig(
        @Key(notYetUsed = true) boolean enabled,
        @Key(notYetUsed = true) String distro,
        @Key(notYetUsed = true) String podCidr,
        @Key(notYetUsed = true) String serviceCidr,
        @Key(notYetUsed = true) Cni cni,
        @Key(notYetUsed = true) int cniMtu,
        @Key(notYetUsed = true) @Nullable String controlPlaneNode,
        @Key(notYetUsed = true) int controlPlaneReplicas,
        @Key(value = "k8s_provisioning_timeout_secs", notYetUsed = true)
                Duration provisioningTimeout,
        @Key(live = true, notYetUsed = true) boolean allowAdminKubeconfig,
        @Key(value = "k0s_version", notYetUsed = true) String k0sVersion,
        @Key(value = "k0s_binary", notYetUsed = true) @Nullable Path k0sBinary,
        @Key(notYetUsed = true) String storageProvisioner,
        @Key(notYetUsed = true) Path localPathDir) {

    public static final KubernetesClusterConfig DEFAULTS =
            new KubernetesClusterConfig(
                    false,
                    "k0s",
                    "10.42.0.0/16",
                    "10.43.0.0/16",
                    Cni.KUBEROUTER,
                    1450,
                    null,
                    1,
                    Duration.ofMinutes(10),
                    false,
                    "v1.36.2+k0s.0",
                    null,
                    "local-path",
                    Path.of("/var/lib/local-path-provisioner"));

    public enum Cni {
        KUBEROUTER,
        CALICO
    }

    public KubernetesClusterConfig {
        new Rules()
                .require(
                        controlPlaneReplicas == 1
                                || controlPlaneReplicas == 3
                                || controlPlaneReplicas == 5,
                        "control_plane_replicas",
                        "must be 1, 3 or 5, was %d",
                        controlPlaneReplicas)
                .check();
    }
}
