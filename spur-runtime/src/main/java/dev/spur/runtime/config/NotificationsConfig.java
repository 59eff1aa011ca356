package dev.spur.runtime.config;

import org.jspecify.annotations.Nullable;

/// `[notifications]` in spur.conf. A webhook's address often carries its own key, so it is kept out
/// of logs.
public record NotificationsConfig(
        @Means("Where state changes are posted to") @Key(live = true, notYetUsed = true)
                Secret webhookUrl,
        @Means("The program that sends mail") @Key(live = true, notYetUsed = true)
                @Nullable String smtpCommand,
        @Means("The sender of mail") @Key(live = true, notYetUsed = true)
                @Nullable String fromAddress) {

    public static final NotificationsConfig DEFAULTS =
            new NotificationsConfig(Secret.parse(""), null, null);
}
