package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;

/// `[billing]` in spur-cloud.toml.
public record BillingSection(
        @Means("The currency of all prices, as in EUR") String currency,
        @Means("Its digits after the point") int digits) {
    public static final BillingSection DEFAULTS = new BillingSection("EUR", 2);

    public BillingSection {
        new Rules()
                .require(
                        currency.matches("[A-Z]{3}"),
                        "currency",
                        "must be three capital letters, was \"%s\"",
                        currency)
                .between(0, digits, 4, "digits")
                .check();
    }
}
