/// spur-cloud.toml, as records.
@NullMarked
package dev.spur.cloud.config;

import org.jspecify.annotations.NullMarked;
