package dev.spur.api.client;

import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// How a channel is protected.
public sealed interface TransportSecurity {
    /// TLS under the cluster's CA; `keys` is this host's certificate, null for callers that bring a
    /// token.
    record Tls(@Nullable KeyManager keys, TrustManager trust) implements TransportSecurity {}

    /// By explicit setting only.
    record Plain() implements TransportSecurity {}

    /// The name every controller's certificate carries, beside its host names: clients check the
    /// role that the cluster's CA vouches for, not an entry in DNS.
    String CONTROLLER_NAME = "controller.spur.internal";

    /// As [#CONTROLLER_NAME], of the host that keeps the accounting.
    String ACCOUNTING_NAME = "accounting.spur.internal";

    /// The name in the certificate of the agent that runs `node`.
    static String nodeName(String node) {
        return node + ".node.spur.internal";
    }
}
