package dev.spur.runtime.config;

import org.jspecify.annotations.Nullable;

/// `[notifications]` in spur.conf. A webhook's address often carries its own key, so it is kept out
/// of logs.
public record NotificationsConfig(
        @Key(live = true, notYetUsed = true) Secret webhookUrl,
        @Key(live = true, notYetUsed = true) @Nullable String smtpCommand,
        @Key(live = true, notYetUsed = true) @Nullable String fromAddress) {

    public static final NotificationsConfig DEFAULTS =
            new NotificationsConfig(Secret.parse(""), null, null);
}
