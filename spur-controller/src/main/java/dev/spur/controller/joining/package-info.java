/// How a host becomes part of the cluster and stays so: a one-time word, a certificate, its
/// renewal.
@NullMarked
package dev.spur.controller.joining;

import org.jspecify.annotations.NullMarked;
