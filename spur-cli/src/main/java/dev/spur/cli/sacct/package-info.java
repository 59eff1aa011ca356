/// `sacct`: what jobs and steps were, asked for and used.
///
/// Start with [Sacct][dev.spur.cli.sacct.Sacct]; its columns are in
/// [SacctColumns][dev.spur.cli.sacct.SacctColumns], which jobs it means in
/// [Selection][dev.spur.cli.sacct.Selection].
@NullMarked
package dev.spur.cli.sacct;

import org.jspecify.annotations.NullMarked;
