/// The controllers among themselves: how one is added and removed, how they watch each other.
///
/// Start here: [ControllerJoining][dev.spur.controller.member.ControllerJoining] is what a new one
/// does, [Members][dev.spur.controller.member.Members] what the leader does about it,
/// [Neighbours][dev.spur.controller.member.Neighbours] what each knows of the others. Who is a
/// member is in the log ([Membership][dev.spur.controller.raft.Membership]).
@NullMarked
package dev.spur.controller.member;

import org.jspecify.annotations.NullMarked;
