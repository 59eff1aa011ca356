package dev.spur.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CloudConfigTest {
    @Test
    void withoutTheSectionTheCloudGivesNoUids() {
        assertThat(CloudConfig.DEFAULTS.hasUsers()).isFalse();
    }

    @Test
    void rangeIsReadFromItsEnds() {
        var cloud = parse("uid_range = \"200000-299999\"");

        assertThat(cloud.hasUsers()).isTrue();
        assertThat(cloud.firstUid()).isEqualTo(200_000);
        assertThat(cloud.lastUid()).isEqualTo(299_999);
        assertThat(cloud.homeDir()).isEqualTo("/home/spur-cloud");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0-5000", "999-5000", "5000-4000", "2000-2147483647", "60000-70000"})
    void rangeWithUidsThatAreNotFreeIsRefused(String range) {
        assertThatThrownBy(() -> parse("uid_range = \"%s\"".formatted(range)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cloud.uid_range");
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "1000", "1000-", "-1000-2000", "99999999999-99999999999"})
    void rangeThatIsNoneIsRefused(String range) {
        assertThatThrownBy(() -> parse("uid_range = \"%s\"".formatted(range)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("must be like 200000-299999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "home", "/home/../etc", "/home/a:b", "/home/a b", "/home//x"})
    void homesAreBelowAPlainDirectory(String directory) {
        assertThatThrownBy(() -> parse("home_dir = \"%s\"".formatted(directory)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cloud.home_dir");
    }

    private static CloudConfig parse(String line) {
        return ConfigFile.parse("cluster_name = \"c\"\n\n[cloud]\n" + line).config().cloud();
    }
}
