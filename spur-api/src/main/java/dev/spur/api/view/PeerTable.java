package dev.spur.api.view;

import dev.spur.api.v1.ControllerPeer;

/// What there is to see of a controller.
public final class PeerTable {
    public static final EntityTable<ControllerPeer> CONTROLLERS =
            EntityTable.<ControllerPeer>of("controller", "controller_ping")
                    .text("name", "", "name", ControllerPeer::getName)
                    .text("host", "hostname", "host", ControllerPeer::getHost)
                    .text("address", "", "where it serves", ControllerPeer::getAddress)
                    .flag("up", "responding", "whether it answers", ControllerPeer::getUp)
                    .flag("leader", "primary", "whether it leads", ControllerPeer::getLeader)
                    .text("", "pinged", "", peer -> peer.getUp() ? "UP" : "DOWN")
                    .text("", "mode", "", peer -> peer.getLeader() ? "primary" : "backup")
                    .build();

    private PeerTable() {}
}
