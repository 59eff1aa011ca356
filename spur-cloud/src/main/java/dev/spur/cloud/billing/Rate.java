package dev.spur.cloud.billing;

import java.math.BigDecimal;

/// What an hour costs.
///
/// @param gpu of each GPU
/// @param cpu of each CPU
public record Rate(BigDecimal gpu, BigDecimal cpu) {
    static final Rate FREE = new Rate(BigDecimal.ZERO, BigDecimal.ZERO);

    BigDecimal perHour(int gpus, int cpus) {
        return gpu.multiply(BigDecimal.valueOf(gpus)).add(cpu.multiply(BigDecimal.valueOf(cpus)));
    }

    boolean costs(Rate other) {
        return gpu.compareTo(other.gpu) == 0 && cpu.compareTo(other.cpu) == 0;
    }
}
