package dev.spur.controller.access;

import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Owner;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.PeerHost;
import io.grpc.Context;
import java.util.List;

/// Who is behind a call, as far as it was proven.
public sealed interface Caller {
    /// Set by [AccessInterceptor] for everything that runs on behalf of the call.
    Context.Key<Caller> CURRENT = Context.key("caller");

    /// A person, vouched for by a host or by a token.
    record Person(Actor actor, int gid, List<Integer> groups) implements Caller {
        public Person {
            groups = List.copyOf(groups);
        }

        public Owner asOwner() {
            return new Owner(actor.uid(), gid, actor.userName(), groups);
        }

        public boolean isAtLeast(Role role) {
            return actor.role().atLeast(role);
        }
    }

    /// Root of a compute or login host, which is not believed to be root of the cluster. It may
    /// look at what everybody sees, and a compute host decides whether it takes jobs.
    record RootOfHost(PeerHost peer, Person reader) implements Caller {}

    /// A host of the cluster, on its own behalf.
    record Host(PeerHost peer) implements Caller {}

    /// Neither a certificate nor a token.
    record Stranger() implements Caller {}

    /// The person behind the current call. The rules have made sure that there is one.
    static Person person() {
        if (CURRENT.get() instanceof Person person) {
            return person;
        }
        if (CURRENT.get() instanceof RootOfHost(_, var reader)) {
            return reader;
        }
        throw new SpurException(ErrorCode.ACCESS_DENIED, "this call needs a user");
    }

    static PeerHost host() {
        if (CURRENT.get() instanceof Host(var peer)) {
            return peer;
        }
        throw new SpurException(ErrorCode.ACCESS_DENIED, "this call needs a host of the cluster");
    }
}
