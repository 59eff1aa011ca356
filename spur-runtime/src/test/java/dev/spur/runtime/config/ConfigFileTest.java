package dev.spur.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.TimeLimit;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
    private static final String PRODUCTION =
            """
            cluster_name = "production"

            [controller]
            listen_addr = "[::]:6817"
            state_dir = "/var/spool/spur"
            hosts = ["ctrl1", "ctrl2"]

            [scheduler]
            plugin = "backfill"
            interval_secs = 1
            fairshare_halflife_days = 14

            [accounting]
            database_url = "postgresql://spur:spur@db1/spur"

            [[partitions]]
            name = "gpu"
            default = true
            nodes = "gpu[001-064]"
            max_time = "72:00:00"

            [[partitions]]
            name = "cpu"
            nodes = "cpu[001-256]"
            max_time = "168:00:00"

            [[nodes]]
            names = "gpu[001-064]"
            cpus = 128
            memory_mb = 512000
            gres = ["gpu:mi300x:8"]

            [[nodes]]
            names = "cpu[001-256]"
            cpus = 256
            memory_mb = 1024000
            """;

    @Test
    void quickStartExampleLoads() {
        var file =
                ConfigFile.parse(
                        """
                        cluster_name = "my-cluster"
                        [[partitions]]
                        name = "default"
                        default = true
                        nodes = "node[001-008]"
                        max_time = "24:00:00"
                        [[nodes]]
                        names = "node[001-008]"
                        cpus = 64
                        memory_mb = 256000
                        """);

        var config = file.config();
        assertThat(config.clusterName()).isEqualTo("my-cluster");
        assertThat(config.partitions())
                .singleElement()
                .satisfies(partition -> {
                    assertThat(partition.isDefault()).isTrue();
                    assertThat(partition.maxTime()).isEqualTo(TimeLimit.ofMinutes(24 * 60));
                });
        assertThat(config.nodes())
                .singleElement()
                .satisfies(node -> {
                    assertThat(node.cpus()).isEqualTo(64);
                    assertThat(node.memory()).isEqualTo(MemorySize.ofMebibytes(256_000));
                });
    }

    @Test
    void productionExampleLoadsAndWarnsThatBothOfTwoControllersMustBeUp() {
        var file = ConfigFile.parse(PRODUCTION);

        assertThat(file.config().controller().listenAddr()).hasToString("[::]:6817");
        assertThat(file.config().partitions())
                .extracting(PartitionConfig::name)
                .containsExactly("gpu", "cpu");
        assertThat(file.config().nodes().getFirst().gres()).containsExactly("gpu:mi300x:8");
        assertThat(file.warnings())
                .singleElement()
                .asString()
                .startsWith("spur.conf line 6: ")
                .contains("both must be up");
    }

    @Test
    void updateExampleLoads() {
        var config =
                ConfigFile.parse(
                                """
                                cluster_name = "a"
                                [update]
                                check_on_startup = true    # default: true
                                auto_update = false
                                channel = "stable"         # "stable" or "nightly"
                                cache_dir = "/var/cache/spur"
                                """)
                        .config();

        assertThat(config.update()).isEqualTo(UpdateConfig.DEFAULTS);
    }

    @Test
    void withoutAFileEveryNodeThatJoinsIsInOnePartitionAndOnlyThisMachineIsServed(
            @TempDir Path directory) {
        var file = ConfigFile.load(directory.resolve("spur.conf"));

        assertThat(file.config().clusterName()).isEqualTo("spur");
        assertThat(file.config().controller().listenAddr()).hasToString("127.0.0.1:6817");
        assertThat(file.config().partitions()).containsExactly(PartitionConfig.EVERY_NODE);
    }

    @Test
    void unknownKeyNamesItsLineAndTheNearestKnownOne() {
        var text =
                """
                cluster_name = "a"
                # a comment with [brackets]
                [controller]
                hosts = [
                    "one",
                    "intervall = 2",
                ]
                [scheduler]
                intervall = 3
                """;

        assertThatThrownBy(() -> ConfigFile.parse(text))
                .hasMessage(
                        "spur.conf line 9: unknown key \"scheduler.intervall\". Did you mean \"scheduler.interval_secs\"?");
    }

    @Test
    void allProblemsAreReportedAtOnceEachWithItsLine() {
        var text =
                """
                cluster_name = ""
                [controller]
                max_batch_requeue = 0
                return_to_service = 7
                listen_addr = "nowhere"
                [[partitions]]
                nodes = "a"
                [[partitions]]
                name = "b"
                max_time = "soon"
                hidden = "yes"
                [schedulr]
                """;

        assertThatThrownBy(() -> ConfigFile.parse(text))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e ->
                                assertThat(e.problems())
                                        .satisfiesExactlyInAnyOrder(
                                                p ->
                                                        assertThat(p)
                                                                .isEqualTo(
                                                                        "spur.conf line 1: cluster_name must not be empty."),
                                                p ->
                                                        assertThat(p)
                                                                .isEqualTo(
                                                                        "spur.conf line 3: controller.max_batch_requeue must be at least 1, was 0."),
                                                p ->
                                                        assertThat(p)
                                                                .startsWith(
                                                                        "spur.conf line 4: controller.return_to_service must be"),
                                                p ->
                                                        assertThat(p)
                                                                .startsWith(
                                                                        "spur.conf line 5: controller.listen_addr cannot be used"),
                                                p ->
                                                        assertThat(p)
                                                                .isEqualTo(
                                                                        "spur.conf line 6: partitions[0].name is missing."),
                                                p ->
                                                        assertThat(p)
                                                                .startsWith(
                                                                        "spur.conf line 10: partitions[1].max_time"),
                                                p ->
                                                        assertThat(p)
                                                                .isEqualTo(
                                                                        "spur.conf line 11: partitions[1].hidden must be true or false, was \"yes\"."),
                                                p ->
                                                        assertThat(p)
                                                                .startsWith(
                                                                        "spur.conf line 12: unknown key \"schedulr\". Did you mean \"scheduler\"?")));
    }

    @Test
    void textThatIsNotTomlNamesTheLine() {
        assertThatThrownBy(() -> ConfigFile.parse("cluster_name = \"a\"\nwhat is this\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("spur.conf line 2: this is not TOML");
    }

    @Test
    void keyOfALaterPartIsMentionedOnlyWhenItAsksForSomething() {
        var file =
                ConfigFile.parse(
                        """
                        cluster_name = "a"
                        [kubernetes]
                        enabled = true
                        namespace = "spur"
                        [auth]
                        allow_root_jobs = true
                        [[nodes]]
                        names = "n1"
                        state = "down"
                        """);

        assertThat(file.notYetUsed())
                .containsExactlyInAnyOrder(
                        "spur.conf line 3: \"kubernetes.enabled\" is known, but this release does not use it yet.",
                        "spur.conf line 6: \"auth.allow_root_jobs\" is known, but this release does not use it yet.",
                        "spur.conf line 9: \"nodes.state\" is known, but this release does not use it yet.");
    }

    @Test
    void formerNameOfAKeyStillWorksWithAWarning() {
        var file =
                ConfigFile.parse(
                        "cluster_name = \"a\"\n[controller]\nterminal_job_retention_secs = 60\n");

        assertThat(file.config().controller().minJobAge()).isEqualTo(Duration.ofMinutes(1));
        assertThat(file.warnings())
                .containsExactly(
                        "spur.conf line 3: \"controller.terminal_job_retention_secs\" is now called"
                                + " \"controller.min_job_age_secs\"; the old name still works.");
    }

    @Test
    void secretsAppearNeitherInTheEffectiveConfigurationNorInAnyText() {
        var config = ConfigFile.parse(PRODUCTION).config();

        assertThat(config.accounting().databaseUrl().reveal()).contains("spur:spur@db1");
        assertThat(config.toString()).doesNotContain("spur:spur");
        assertThat(config.effective())
                .doesNotContain("spur:spur")
                .contains("accounting.database_url = \"(redacted)\"\n")
                .contains("controller.kill_wait_secs = 30\n")
                .contains("partitions[1].max_time = \"7-00:00:00\"\n");
    }

    @Test
    void changesThatNeedARestartAreTold() {
        var before = ConfigFile.parse("cluster_name = \"a\"\n").config();
        var after =
                ConfigFile.parse(
                                """
                                cluster_name = "a"
                                [controller]
                                listen_addr = "[::]:7000"
                                kill_wait_secs = 5
                                [hooks]
                                prolog = "/etc/spur/prolog"
                                """)
                        .config();

        assertThat(before.needsRestart(after)).containsExactly("controller.listen_addr");
    }
}
