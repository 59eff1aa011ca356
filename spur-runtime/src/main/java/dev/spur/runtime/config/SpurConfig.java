package dev.spur.runtime.config;

import java.util.List;
import java.util.Map;

/// All of spur.conf. Read it with {@link ConfigFile}; hand each part of a daemon only its own
/// section.
public record SpurConfig(
        @Means("The cluster's name: in job ids of other clusters, certificates and commands")
                @Key(required = true, live = true)
                String clusterName,
        @Means("How many of each licence jobs may use at once, as in { matlab = 10 }")
                @Key(live = true, notYetUsed = true)
                Map<String, Integer> licenses,
        ControllerConfig controller,
        AccountingConfig accounting,
        SchedulerConfig scheduler,
        AuthConfig auth,
        List<PartitionConfig> partitions,
        List<NodeConfig> nodes,
        NetworkConfig network,
        LoggingConfig logging,
        RlimitsConfig rlimits,
        MpiConfig mpi,
        UpdateConfig update,
        AdmissionConfig admission,
        DevicesConfig devices,
        IsolationConfig isolation,
        MetricsConfig metrics,
        RestApiConfig restApi,
        CloudConfig cloud,
        HooksConfig hooks,
        NotificationsConfig notifications,
        PowerConfig power,
        KubernetesConfig kubernetes,
        KubernetesClusterConfig cluster,
        FederationConfig federation,
        TopologyConfig topology,
        BurstBufferConfig burstBuffer) {

    public static final SpurConfig DEFAULTS =
            new SpurConfig(
                    "spur",
                    Map.of(),
                    ControllerConfig.DEFAULTS,
                    AccountingConfig.DEFAULTS,
                    SchedulerConfig.DEFAULTS,
                    AuthConfig.DEFAULTS,
                    List.of(PartitionConfig.EVERY_NODE),
                    List.of(),
                    NetworkConfig.DEFAULTS,
                    LoggingConfig.DEFAULTS,
                    RlimitsConfig.DEFAULTS,
                    MpiConfig.DEFAULTS,
                    UpdateConfig.DEFAULTS,
                    AdmissionConfig.DEFAULTS,
                    DevicesConfig.DEFAULTS,
                    IsolationConfig.DEFAULTS,
                    MetricsConfig.DEFAULTS,
                    RestApiConfig.DEFAULTS,
                    CloudConfig.DEFAULTS,
                    HooksConfig.DEFAULTS,
                    NotificationsConfig.DEFAULTS,
                    PowerConfig.DEFAULTS,
                    KubernetesConfig.DEFAULTS,
                    KubernetesClusterConfig.DEFAULTS,
                    FederationConfig.DEFAULTS,
                    TopologyConfig.DEFAULTS,
                    BurstBufferConfig.DEFAULTS);

    public SpurConfig {
        licenses = Map.copyOf(licenses);
        partitions = List.copyOf(partitions);
        nodes = List.copyOf(nodes);
        new Rules()
                .require(!clusterName.isBlank(), "cluster_name", "must not be empty")
                .require(
                        partitions.stream().filter(PartitionConfig::isDefault).count() <= 1,
                        "partitions",
                        "only one partition can have default = true")
                .require(
                        partitions.stream().map(PartitionConfig::name).distinct().count()
                                == partitions.size(),
                        "partitions",
                        "two partitions have the same name")
                .check();
    }

    /// Every key with the value in force, one `key = value` a line, secrets redacted.
    public String effective() {
        return Effective.render(this);
    }

    /// Keys whose change from this configuration to `newer` takes effect only when the daemon is
    /// restarted.
    public List<String> needsRestart(SpurConfig newer) {
        return Effective.changedButNotLive(this, newer);
    }
}
