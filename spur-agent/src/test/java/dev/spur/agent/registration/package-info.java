/// A whole agent against a controller made for the test.
@NullMarked
package dev.spur.agent.registration;

import org.jspecify.annotations.NullMarked;
