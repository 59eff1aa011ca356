/// People who work together: projects, their members and roles, and what they may use.
@NullMarked
package dev.spur.cloud.projects;

import org.jspecify.annotations.NullMarked;
