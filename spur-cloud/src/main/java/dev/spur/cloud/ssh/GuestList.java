package dev.spur.cloud.ssh;

/// Who may come by SSH, and where to.
@FunctionalInterface
public interface GuestList {
    /// @param fingerprint of the key that is shown, `SHA256:…`; whether the caller has the private
    ///   one is proved afterwards
    /// @param userName session id, name, or the beginning of either
    Admission admit(String fingerprint, String userName);
}
