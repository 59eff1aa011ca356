package dev.spur.cli.host;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Time zone and character set by a caller's environment, as the C library reads them.
public final class LocaleSettings {
    /// POSIX form without daylight saving, as in `CET-1` or `<+0530>-5:30`. Signs are westward.
    private static final Pattern FIXED =
            Pattern.compile(
                    "(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\\d{1,2})(?::(\\d{2}))?(?::(\\d{2}))?");

    /// POSIX forms with daylight saving that are in use, by the zone that has these rules. The
    /// others (`EST5EDT`, `CST6CDT` …) are names of zones themselves.
    private static final Map<String, String> SUMMER_TIME =
            Map.of(
                    "GMT0BST", "Europe/London",
                    "WET0WEST", "WET",
                    "CET-1CEST", "Europe/Berlin",
                    "MET-1MEST", "MET",
                    "EET-2EEST", "EET",
                    "AKST9AKDT", "America/Anchorage",
                    "AEST-10AEDT", "Australia/Sydney",
                    "NZST-12NZDT", "Pacific/Auckland");

    private LocaleSettings() {}

    /// `TZ`, else the system's zone. What nobody understands is UTC, as everywhere.
    public static ZoneId zone(Map<String, String> environment, ZoneId system) {
        var given = environment.get("TZ");
        if (given == null) {
            return system;
        }
        var name = given.startsWith(":") ? given.substring(1) : given;
        int zoneinfo = name.indexOf("zoneinfo/");
        if (zoneinfo >= 0) {
            name = name.substring(zoneinfo + "zoneinfo/".length());
        } else if (name.equals("/etc/localtime")) {
            return system;
        }
        try {
            var fixed = FIXED.matcher(name);
            if (fixed.matches()) {
                int sign = "-".equals(fixed.group(1)) ? 1 : -1;
                return ZoneOffset.ofHoursMinutesSeconds(
                        sign * number(fixed.group(2)),
                        sign * number(fixed.group(3)),
                        sign * number(fixed.group(4)));
            }
            int rules = name.indexOf(',');
            var region = rules < 0 ? name : name.substring(0, rules);
            return region.isEmpty()
                    ? ZoneOffset.UTC
                    : ZoneId.of(SUMMER_TIME.getOrDefault(region, region));
        } catch (DateTimeException e) {
            return ZoneOffset.UTC;
        }
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    /// The code set of LC_ALL, LC_CTYPE or LANG. Slurm passes bytes through whatever they are;
    /// UTF-8, also for the locale `C`, does so for all that is UTF-8.
    public static Charset charset(Map<String, String> environment) {
        for (var variable : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
            var locale = environment.get(variable);
            if (locale != null && !locale.isEmpty()) {
                return codeSet(locale);
            }
        }
        return StandardCharsets.UTF_8;
    }

    private static Charset codeSet(String locale) {
        int dot = locale.indexOf('.');
        int at = locale.indexOf('@');
        if (dot < 0) {
            return StandardCharsets.UTF_8;
        }
        var name = locale.substring(dot + 1, at > dot ? at : locale.length());
        if (name.equalsIgnoreCase("UTF-8") || name.equalsIgnoreCase("utf8")) {
            return StandardCharsets.UTF_8;
        }
        try {
            var charset = Charset.forName(name);
            return charset.canEncode() ? charset : StandardCharsets.UTF_8;
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return StandardCharsets.UTF_8;
        }
    }
}
