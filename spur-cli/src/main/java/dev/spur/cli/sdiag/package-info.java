/// `sdiag`: how busy the controller is.
@NullMarked
package dev.spur.cli.sdiag;

import org.jspecify.annotations.NullMarked;
