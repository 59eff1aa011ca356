/// `spur.conf`: one TOML file, one record per section, defaults in sight.
///
/// Start here: {@link dev.spur.runtime.config.ConfigFile} reads a file and reports all its problems
/// at once; {@link dev.spur.runtime.config.SpurConfig} is what comes out. A new setting is a new
/// record component: its key is the component's name in snake case unless {@link
/// dev.spur.runtime.config.Key} says otherwise, its default stands in the record's `DEFAULTS`.
@NullMarked
package dev.spur.runtime.config;

import org.jspecify.annotations.NullMarked;
