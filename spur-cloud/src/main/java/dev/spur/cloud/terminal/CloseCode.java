package dev.spur.cloud.terminal;

/// Why a terminal's connection is closed. Clients do not try again after those that are final.
enum CloseCode {
    /// The shell has ended; final.
    ENDED(1000),
    /// This daemon stops; the shell goes on.
    GOING_AWAY(1001),
    /// More than one may have, or nonsense; final.
    POLICY(1008),
    FAULT(1011),
    TRY_LATER(1013),
    /// Neither a token nor a ticket that is good; or it has ended; final.
    NOT_SIGNED_IN(4001),
    /// The token was not made for that; final.
    MAY_NOT(4003),
    /// There is no such session for this person; final.
    NO_SESSION(4004),
    /// The session is over; final.
    SESSION_OVER(4010);

    private final int number;

    CloseCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
