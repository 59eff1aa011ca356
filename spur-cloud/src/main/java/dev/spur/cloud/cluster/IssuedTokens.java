package dev.spur.cloud.cluster;

import dev.spur.api.client.ControllerClient;

/// Tokens that the controller issues to hosts of the role cloud.
final class IssuedTokens implements ClusterClients.TokenSource {
    @Override
    public ClusterClients.Token issue(
            ControllerClient host, UnixAccount account, boolean signedInRecently) {
        throw new UnsupportedOperationException("to come");
    }
}
