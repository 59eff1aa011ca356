@NullMarked
package dev.spur.controller.dispatch;

import org.jspecify.annotations.NullMarked;
