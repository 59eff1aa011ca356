/// What administrators do: people and their rights, invitations, the audit log.
@NullMarked
package dev.spur.cloud.admin;

import org.jspecify.annotations.NullMarked;
