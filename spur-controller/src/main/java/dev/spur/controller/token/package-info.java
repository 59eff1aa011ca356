/// Tokens for people who come from elsewhere, and words with which new hosts join.
@NullMarked
package dev.spur.controller.token;

import org.jspecify.annotations.NullMarked;
