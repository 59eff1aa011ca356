package dev.spur.testkit.simulated;

import dev.spur.controller.access.Caller;
import dev.spur.model.Actor;
import dev.spur.model.Role;
import java.util.List;

/// Who uses a simulated cluster.
final class Users {
    static final Caller.Person ALICE = person(1002, "alice", Role.USER);
    static final Caller.Person BOB = person(1003, "bob", Role.USER);
    static final Caller.Person ROOT = person(0, "root", Role.ADMIN);

    private Users() {}

    private static Caller.Person person(int uid, String name, Role role) {
        return new Caller.Person(
                new Actor(uid, name, SimulatedClient.HOST, role, Actor.Origin.DOOR),
                uid,
                List.of(uid));
    }
}
