package dev.spur.engine.account;

import java.util.List;
import java.util.TreeSet;

/// On whose account work is done. Where it is in the tree, its association says.
///
/// @param coordinators users who may manage it and all accounts below
public record Account(
        String name, String description, String organization, List<String> coordinators) {
    /// Of the tree.
    public static final String ROOT = "root";

    public Account {
        coordinators = List.copyOf(coordinators);
    }

    Account withDescription(String text) {
        return new Account(name, text, organization, coordinators);
    }

    Account withOrganization(String text) {
        return new Account(name, description, text, coordinators);
    }

    Account withCoordinator(String user) {
        var all = new TreeSet<>(coordinators);
        all.add(user);
        return new Account(name, description, organization, List.copyOf(all));
    }

    Account withoutCoordinator(String user) {
        return new Account(
                name,
                description,
                organization,
                coordinators.stream().filter(name -> !name.equals(user)).toList());
    }
}
