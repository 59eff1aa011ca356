package dev.spur.agent.step;

/// Tells when this process has no file descriptor left: what fails then says nothing of what was
/// tried.
public final class Descriptors {
    private Descriptors() {}

    public static boolean exhausted(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains("Too many open files")) {
                return true;
            }
        }
        return false;
    }
}
