/// `sreport`: what was used in a window of time, by whom and of what.
///
/// Start with [Sreport][dev.spur.cli.sreport.Sreport]; each report's heading and columns are in
/// [Report][dev.spur.cli.sreport.Report].
@NullMarked
package dev.spur.cli.sreport;

import org.jspecify.annotations.NullMarked;
