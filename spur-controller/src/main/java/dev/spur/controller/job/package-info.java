/// Jobs as callers meet them: submitting, listing, watching, changing. Requests become commands,
/// snapshots become views; no rule about jobs lives here.
@NullMarked
package dev.spur.controller.job;

import org.jspecify.annotations.NullMarked;
