package dev.spur.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LocaleSettingsTest {
    private static final ZoneId SYSTEM = ZoneId.of("Asia/Tokyo");

    private static ZoneId zone(String tz) {
        return LocaleSettings.zone(Map.of("TZ", tz), SYSTEM);
    }

    @Test
    void theZoneIsTheCallersOrTheSystems() {
        assertThat(LocaleSettings.zone(Map.of(), SYSTEM)).isEqualTo(SYSTEM);
        assertThat(zone("Europe/Berlin")).isEqualTo(ZoneId.of("Europe/Berlin"));
        assertThat(zone(":Europe/Berlin")).isEqualTo(ZoneId.of("Europe/Berlin"));
        assertThat(zone("/usr/share/zoneinfo/Europe/Berlin")).isEqualTo(ZoneId.of("Europe/Berlin"));
    }

    @Test
    void posixZonesCountWestward() {
        assertThat(zone("CET-1")).isEqualTo(ZoneOffset.ofHours(1));
        assertThat(zone("EST5")).isEqualTo(ZoneOffset.ofHours(-5));
        assertThat(zone("<+0530>-5:30")).isEqualTo(ZoneOffset.ofHoursMinutes(5, 30));
        assertThat(zone("CET-1CEST,M3.5.0,M10.5.0/3")).isEqualTo(ZoneId.of("Europe/Berlin"));
    }

    @Test
    void nonsenseAndNothingAreUtc() {
        assertThat(zone("")).isEqualTo(ZoneOffset.UTC);
        assertThat(zone("Nowhere/At all")).isEqualTo(ZoneOffset.UTC);
    }

    @Test
    void theCharacterSetFollowsTheLocale() {
        assertThat(LocaleSettings.charset(Map.of())).isEqualTo(StandardCharsets.UTF_8);
        assertThat(LocaleSettings.charset(Map.of("LANG", "C"))).isEqualTo(StandardCharsets.UTF_8);
        assertThat(LocaleSettings.charset(Map.of("LANG", "de_DE.ISO-8859-1@euro")))
                .isEqualTo(StandardCharsets.ISO_8859_1);
        assertThat(LocaleSettings.charset(Map.of("LC_ALL", "C.UTF-8", "LANG", "de_DE.ISO-8859-1")))
                .isEqualTo(StandardCharsets.UTF_8);
    }
}
