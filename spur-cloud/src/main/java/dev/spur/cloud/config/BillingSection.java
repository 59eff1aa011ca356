package dev.spur.cloud.config;

import dev.spur.runtime.config.Key;
import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;

/// `[billing]` in spur-cloud.toml.
public record BillingSection(
        @Means("The currency of all prices, as in EUR") String currency,
        @Means("Its digits after the point") int digits,
        @Means("How often bills are brought up to what accounting says") @Key("settle_seconds")
                Duration settleEvery,
        List<PriceEntry> prices) {
    public static final BillingSection DEFAULTS =
            new BillingSection("EUR", 2, Duration.ofSeconds(10), List.of());

    /// A price from the start of the platform on, or from a date on. Those that administrators set
    /// by the API stand beside them; a price that is in the database already is not changed.
    public record PriceEntry(
            @Means("cpu, gpu (any type without a price of its own) or gpu:TYPE")
                    @Key(required = true)
                    String resource,
            @Means("What one of it costs per hour, as in \"2.50\"") @Key(required = true)
                    String perHour,
            @Means("From when on, as in 2027-01-01 or 2027-01-01T00:00:00Z; empty: always")
                    String from) {
        public static final PriceEntry DEFAULTS = new PriceEntry("", "0", "");

        public PriceEntry {
            new Rules()
                    .require(
                            resource.isEmpty() || resource.matches("cpu|gpu(:[a-z0-9._-]{1,40})?"),
                            "resource",
                            "must be cpu, gpu, or gpu:TYPE as in gpu:mi300x, was \"%s\"",
                            resource)
                    .require(
                            perHour.matches("[0-9]{1,7}(\\.[0-9]{1,6})?"),
                            "per_hour",
                            "must be an amount as in \"2.50\", was \"%s\"",
                            perHour)
                    .require(
                            isTime(from),
                            "from",
                            "must be a date as in 2027-01-01, was \"%s\"",
                            from)
                    .check();
        }

        public BigDecimal amount() {
            return new BigDecimal(perHour);
        }

        public Instant validFrom() {
            return time(from);
        }

        private static boolean isTime(String text) {
            try {
                return time(text) != null;
            } catch (DateTimeParseException _) {
                return false;
            }
        }

        private static Instant time(String text) {
            if (text.isEmpty()) {
                return Instant.EPOCH;
            }
            return text.length() == 10
                    ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
                    : OffsetDateTime.parse(text).toInstant();
        }
    }

    public BillingSection {
        prices = List.copyOf(prices);
        new Rules()
                .require(
                        currency.matches("[A-Z]{3}"),
                        "currency",
                        "must be three capital letters, was \"%s\"",
                        currency)
                .between(0, digits, 4, "digits")
                .between(1, settleEvery.toSeconds(), 3600, "settle_seconds")
                .check();
    }
}
