package dev.spur.runtime.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// `[cluster]` in spur.conf: a Kubernetes cluster that Spur itself runs on its nodes.
public record KubernetesClusterConfig(
        @Means("Whether Spur runs a Kubernetes cluster on its nodes") @Key(notYetUsed = true)
                boolean enabled,
        @Means("Which one") @Key(notYetUsed = true) String distro,
        @Means("Addresses of Pods") @Key(notYetUsed = true) String podCidr,
        @Means("Addresses of services") @Key(notYetUsed = true) String serviceCidr,
        @Means("The network between Pods") @Key(notYetUsed = true) Cni cni,
        @Means("Its packet size") @Key(notYetUsed = true) int cniMtu,
        @Means("Where its control plane runs") @Key(notYetUsed = true)
                @Nullable String controlPlaneNode,
        @Means("How many control planes") @Key(notYetUsed = true) int controlPlaneReplicas,
        @Means("How long it may take to come up")
                @Key(value = "k8s_provisioning_timeout_secs", notYetUsed = true)
                Duration provisioningTimeout,
        @Means("Whether administrators may fetch its credentials")
                @Key(live = true, notYetUsed = true)
                boolean allowAdminKubeconfig,
        @Means("Its version") @Key(value = "k0s_version", notYetUsed = true) String k0sVersion,
        @Means("Its program") @Key(value = "k0s_binary", notYetUsed = true)
                @Nullable Path k0sBinary,
        @Means("What gives Pods their volumes") @Key(notYetUsed = true) String storageProvisioner,
        @Means("Where local volumes are") @Key(notYetUsed = true) Path localPathDir) {

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
