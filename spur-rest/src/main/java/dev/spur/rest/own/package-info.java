/// `/api/v1`, the API of our own. Start at [OwnApi][dev.spur.rest.own.OwnApi]: its routes are the
/// documentation, too.
@org.jspecify.annotations.NullMarked
package dev.spur.rest.own;
