package dev.spur.rest.http;

import java.util.List;

/// A family of routes with a common beginning and a common way to say no.
///
/// @param <C> on whose behalf requests are done
public interface Api<C> {
    List<Route<C>> routes();

    /// Whether a path is one of this family's, also where nothing is there.
    boolean owns(String path);

    Reply refused(Request request, Refusal refusal);
}
