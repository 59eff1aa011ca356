/// spurrestd. Start at [Spurrestd][dev.spur.rest.Spurrestd] for the process, at
/// [RestService][dev.spur.rest.RestService] for what it is made of.
@org.jspecify.annotations.NullMarked
package dev.spur.rest;
