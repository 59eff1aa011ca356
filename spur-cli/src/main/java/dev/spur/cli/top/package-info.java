/// `spur top`: queue, nodes and GPUs in the terminal, as they change.
///
/// Start with [dev.spur.cli.top.Top]; what it shows is [dev.spur.cli.top.Picture], how is
/// [dev.spur.cli.top.Screen], and what keys do is [dev.spur.cli.top.Settings].
@NullMarked
package dev.spur.cli.top;

import org.jspecify.annotations.NullMarked;
