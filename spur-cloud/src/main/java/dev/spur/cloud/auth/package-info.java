/// Signing in: passwords, second factors, other providers; the tokens that follow from it.
@NullMarked
package dev.spur.cloud.auth;

import org.jspecify.annotations.NullMarked;
