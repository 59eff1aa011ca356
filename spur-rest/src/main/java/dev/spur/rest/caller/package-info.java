/// Who asks, and how much of it: by a token that the controller checks, or by the other end of the
/// connection on this very host. Start at [Callers][dev.spur.rest.caller.Callers].
@org.jspecify.annotations.NullMarked
package dev.spur.rest.caller;
