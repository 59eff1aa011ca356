package dev.spur.runtime.config;

/// `[admission]` in spur.conf: how a host becomes part of the cluster.
///
/// A host always proves itself with a one-time token; `open` is read for the sake of older files.
public record AdmissionConfig(
        @Means(
                        "Hosts join with a one-time token; open is read for the sake of older files and warned about")
                @Key(live = true)
                Mode mode) {
    public static final AdmissionConfig DEFAULTS = new AdmissionConfig(Mode.TOKEN);

    public enum Mode {
        TOKEN,
        OPEN
    }
}
