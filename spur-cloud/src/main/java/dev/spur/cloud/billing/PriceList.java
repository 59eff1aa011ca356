package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// All prices, of all times.
public final class PriceList {
    private final Map<String, NavigableMap<Instant, BigDecimal>> prices = new HashMap<>();

    public PriceList(Collection<Price> all) {
        all.forEach(price ->
                prices.computeIfAbsent(price.resource(), _ -> new TreeMap<>())
                        .put(price.validFrom(), price.perHour()));
    }

    /// What this type of GPU, and CPUs, cost at a time. What has no price costs nothing.
    public Rate at(String gpuType, Instant when) {
        var gpu =
                price(Price.ofGpu(gpuType), when)
                        .or(() -> price(Price.ANY_GPU, when))
                        .orElse(BigDecimal.ZERO);
        return new Rate(gpu, price(Price.CPU, when).orElse(BigDecimal.ZERO));
    }

    private Optional<BigDecimal> price(String resource, Instant when) {
        var entry = prices.getOrDefault(resource, new TreeMap<>()).floorEntry(when);
        return entry == null ? Optional.empty() : Optional.of(entry.getValue());
    }

    /// When prices that concern this type of GPU, or CPUs, change after one time and before
    /// another.
    List<Instant> changes(String gpuType, Instant after, Instant before) {
        var changes = new TreeSet<Instant>();
        for (var resource : List.of(Price.ofGpu(gpuType), Price.ANY_GPU, Price.CPU)) {
            var of = prices.get(resource);
            if (of != null && after.isBefore(before)) {
                changes.addAll(of.subMap(after, false, before, false).keySet());
            }
        }
        return List.copyOf(changes);
    }
}
