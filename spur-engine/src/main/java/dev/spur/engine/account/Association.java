package dev.spur.engine.account;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An account in the tree, or a user of an account, perhaps in one partition only: what it is due
/// and what limits it.
///
/// @param parent of an account the one above (0: it is the root), of a user his account's
/// @param user empty: the account itself
/// @param partition empty: all
/// @param qos that jobs may ask for, by number; empty: those of the parent
/// @param defaultQos 0: that of the parent
public record Association(
        int id,
        int parent,
        String account,
        String user,
        String partition,
        Shares shares,
        @Nullable Integer priority,
        Limits limits,
        List<Integer> qos,
        int defaultQos,
        String comment) {
    public static final int ROOT = 1;

    public Association {
        qos = List.copyOf(qos);
    }

    public static Association of(
            int id, int parent, String account, String user, String partition) {
        return new Association(
                id,
                parent,
                account,
                user,
                partition,
                Shares.ONE,
                null,
                Limits.NONE,
                List.of(),
                0,
                "");
    }

    public boolean isUser() {
        return !user.isEmpty();
    }

    Association withParent(int other) {
        return new Association(
                id,
                other,
                account,
                user,
                partition,
                shares,
                priority,
                limits,
                qos,
                defaultQos,
                comment);
    }

    Association with(Shares other) {
        return new Association(
                id,
                parent,
                account,
                user,
                partition,
                other,
                priority,
                limits,
                qos,
                defaultQos,
                comment);
    }

    Association withPriority(@Nullable Integer number) {
        return new Association(
                id,
                parent,
                account,
                user,
                partition,
                shares,
                number,
                limits,
                qos,
                defaultQos,
                comment);
    }

    Association with(Limits other) {
        return new Association(
                id,
                parent,
                account,
                user,
                partition,
                shares,
                priority,
                other,
                qos,
                defaultQos,
                comment);
    }

    Association withQos(List<Integer> allowed) {
        return new Association(
                id,
                parent,
                account,
                user,
                partition,
                shares,
                priority,
                limits,
                allowed,
                defaultQos,
                comment);
    }

    Association withDefaultQos(int number) {
        return new Association(
                id, parent, account, user, partition, shares, priority, limits, qos, number,
                comment);
    }

    Association withComment(String text) {
        return new Association(
                id,
                parent,
                account,
                user,
                partition,
                shares,
                priority,
                limits,
                qos,
                defaultQos,
                text);
    }
}
