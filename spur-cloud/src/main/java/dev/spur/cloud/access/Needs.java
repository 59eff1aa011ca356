package dev.spur.cloud.access;

/// What endpoints ask of their callers, as they write it.
public final class Needs {
    /// Somebody who is signed in, or an API token.
    public static final String USER = "user";

    /// An administrator.
    public static final String ADMIN = "admin";

    /// Somebody who signed in himself: API tokens cannot change how one signs in.
    public static final String LOGIN = "login";

    /// An API token needs the scope `sessions`, or `read` if nothing is changed.
    public static final String SESSIONS = "scope sessions";

    /// An API token needs the scope `account`, or `read` if nothing is changed.
    public static final String ACCOUNT = "scope account";

    /// An API token needs the scope `billing`, or `read` if nothing is changed.
    public static final String BILLING = "scope billing";

    /// An API token needs the scope `admin`, or `read` if nothing is changed.
    public static final String ADMINISTRATION = "scope admin";

    private Needs() {}
}
