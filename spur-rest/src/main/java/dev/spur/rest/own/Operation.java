package dev.spur.rest.own;

import dev.spur.rest.http.Reply;

/// Does what a route is for.
@FunctionalInterface
interface Operation {
    Reply answer(OwnCall call);
}
