package dev.spur.runtime.config;

import java.util.regex.Pattern;

/// `[cloud]` in spur.conf: who the cloud's users are on the nodes. Without `uid_range` it has only
/// users who linked their own accounts.
public record CloudConfig(
        @Means(
                        "The uids that the cloud gives to its users, as in \"200000-299999\"; empty: it gives none")
                @Key(live = true)
                String uidRange,
        @Means(
                        "Below which these users have their homes, on every node; made by root, 0700, on first use")
                @Key(live = true)
                String homeDir) {
    /// Below are the system's accounts, above what C programs take for -1.
    private static final long LOWEST = 1000;

    private static final long HIGHEST = 2_147_483_646;
    private static final long NOBODY = 65_534;
    private static final Pattern RANGE = Pattern.compile("([0-9]{1,10}) *- *([0-9]{1,10})");
    private static final Pattern DIRECTORY = Pattern.compile("(/[A-Za-z0-9_.@+-]+)+");
    private static final int LONGEST = 200;

    public static final CloudConfig DEFAULTS = new CloudConfig("", "/home/spur-cloud");

    public CloudConfig {
        var rules = new Rules();
        if (!uidRange.isEmpty()) {
            var range = RANGE.matcher(uidRange);
            if (range.matches()) {
                var first = Long.parseLong(range.group(1));
                var last = Long.parseLong(range.group(2));
                rules.require(
                        LOWEST <= first && first <= last && last <= HIGHEST,
                        "uid_range",
                        "must go from a lower to a higher uid, none below %d or above %d, was %s",
                        LOWEST,
                        HIGHEST,
                        uidRange);
                rules.require(
                        last < NOBODY || first > NOBODY + 1,
                        "uid_range",
                        "must not contain %d, which is nobody",
                        NOBODY);
            } else {
                rules.require(
                        false, "uid_range", "must be like 200000-299999, was \"%s\"", uidRange);
            }
        }
        rules.require(
                        DIRECTORY.matcher(homeDir).matches()
                                && homeDir.length() <= LONGEST
                                && !(homeDir + "/").contains("/../")
                                && !(homeDir + "/").contains("/./"),
                        "home_dir",
                        "must be the path of a directory, from / on, in letters, digits and _.@+-, was \"%s\"",
                        homeDir)
                .check();
    }

    public boolean hasUsers() {
        return !uidRange.isEmpty();
    }

    public long firstUid() {
        return number(1);
    }

    public long lastUid() {
        return number(2);
    }

    private long number(int group) {
        var range = RANGE.matcher(uidRange);
        return range.matches() ? Long.parseLong(range.group(group)) : 0;
    }
}
