package dev.spur.cloud.cluster;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.IssueUserTokenRequest;

/// Tokens that the controller issues to hosts of the role cloud, for some minutes each.
final class IssuedTokens implements ClusterClients.TokenSource {
    @Override
    public ClusterClients.Token issue(
            ControllerClient host, UnixAccount account, boolean signedInRecently) {
        var request =
                IssueUserTokenRequest.newBuilder()
                        .setUid((int) account.uid())
                        .setName(account.name())
                        .setSignedInRecently(signedInRecently)
                        .build();
        var reply = host.call(stub -> stub.issueUserToken(request));
        return new ClusterClients.Token(
                reply.getToken(),
                java.util.Objects.requireNonNull(
                        InstantMapper.ofMicros(reply.getExpiresMicros()),
                        "a token of the cloud ends"),
                reply.getRole());
    }
}
