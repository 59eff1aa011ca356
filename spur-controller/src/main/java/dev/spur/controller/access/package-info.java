/// Who calls, and whether they may. Every call passes here before a feature sees it, and every
/// failure passes here on its way out.
///
/// Start with [dev.spur.controller.access.AccessRules], the table of all calls.
@NullMarked
package dev.spur.controller.access;

import org.jspecify.annotations.NullMarked;
