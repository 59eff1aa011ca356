package dev.spur.engine.account;

/// What a change did something to.
///
/// @param name of an account, user, QOS or wckey
/// @param parent of an account's association: the account above
public record AffectedEntity(
        AccountsEntity entity,
        String name,
        String account,
        String user,
        String partition,
        String parent) {
    static AffectedEntity named(AccountsEntity entity, String name) {
        return new AffectedEntity(entity, name, "", "", "", "");
    }
}
