/// Requests and answers as the APIs see them, whatever server brings them: a table of [Route]s,
/// from which the documentation is made as well.
@org.jspecify.annotations.NullMarked
package dev.spur.rest.http;
