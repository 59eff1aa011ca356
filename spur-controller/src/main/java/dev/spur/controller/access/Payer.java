package dev.spur.controller.access;

import com.google.protobuf.Message;
import dev.spur.model.Role;

/// On whose account a call is. What one user, host or all strangers together may have under way
/// does not depend on what others have.
///
/// @param name tells accounts apart
record Payer(String name, Allowance allowance) {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int JOB = 3 * KIB;

    /// @param arriving requests of which something is still missing
    /// @param arrivingBytes what of them is here
    /// @param work units of requests being answered, see [#units]
    /// @param streams answers that stay open
    record Allowance(int arriving, long arrivingBytes, int work, int streams) {}

    private static final Allowance USER = new Allowance(64, 64 * MIB, 512, 1_024);
    private static final Allowance OPERATOR = new Allowance(256, 64 * MIB, 2_048, 8_192);
    private static final Allowance HOST = new Allowance(64, 16 * MIB, 256, 8_192);
    private static final Allowance STRANGERS = new Allowance(64, MIB, 16, 0);

    static Payer of(Caller caller) {
        return switch (caller) {
            case Caller.Person person ->
                    new Payer(
                            "uid " + Integer.toUnsignedString(person.actor().uid()),
                            person.isAtLeast(Role.OPERATOR) ? OPERATOR : USER);
            case Caller.RootOfHost(var peer, _) -> new Payer("root of " + peer.host(), USER);
            case Caller.Host(var peer) -> new Payer("host " + peer.host(), HOST);
            case Caller.Stranger() -> new Payer("strangers", STRANGERS);
        };
    }

    /// A request about many jobs is much to do, however short it is.
    static long weight(Message request) {
        var ids = request.getDescriptorForType().findFieldByName("ids");
        var jobs = ids == null || !ids.isRepeated() ? 0 : request.getRepeatedFieldCount(ids);
        return request.getSerializedSize() + (long) jobs * JOB;
    }

    /// What a request weighs while it is being answered: many small ones, or few large.
    static int units(long bytes) {
        return 1 + (int) (bytes / (64 * KIB));
    }
}
