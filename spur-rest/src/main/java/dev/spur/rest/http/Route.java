package dev.spur.rest.http;

/// What is done at a path.
///
/// @param path `/jobs/{id}`: a word in braces stands for any one segment
/// @param needsCaller whether strangers are sent away
public record Route<C>(String method, String path, boolean needsCaller, Handler<C> handler) {
    /// @param <C> on whose behalf
    @FunctionalInterface
    public interface Handler<C> {
        Reply answer(Request request, C caller);
    }
}
