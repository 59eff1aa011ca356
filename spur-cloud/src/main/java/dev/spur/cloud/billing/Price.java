package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;

/// What a resource costs from some time on, until the next price of it begins.
///
/// @param resource `cpu`, `gpu` for every type without a price of its own, or `gpu:TYPE`
public record Price(UUID id, String resource, BigDecimal perHour, Instant validFrom) {
    static final String CPU = "cpu";
    static final String ANY_GPU = "gpu";

    static String ofGpu(String type) {
        return "gpu:" + type;
    }

    static boolean isResource(String text) {
        return text.equals(CPU) || text.equals(ANY_GPU) || text.matches("gpu:[a-z0-9._-]{1,40}");
    }
}
