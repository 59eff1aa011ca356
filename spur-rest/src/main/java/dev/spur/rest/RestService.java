package dev.spur.rest;

import dev.spur.api.client.Channels;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.rest.caller.Budgets;
import dev.spur.rest.caller.Callers;
import dev.spur.rest.caller.SocketPeers;
import dev.spur.rest.caller.TokenChecks;
import dev.spur.rest.cluster.Cluster;
import dev.spur.rest.own.OwnApi;
import dev.spur.rest.slurm.SlurmApi;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.identity.CertificateRenewal;
import dev.spur.runtime.process.Running;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// spurrestd. Read top to bottom to learn what it is made of.
final class RestService implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(RestService.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final InetSocketAddress address;

    private RestService(RestOptions options) throws IOException {
        var identity = options.identity();
        var channels =
                opened(
                        new Channels(
                                identity == null
                                        ? new TransportSecurity.Plain()
                                        : new TransportSecurity.Tls(
                                                identity.keyManager(), identity.trustManager())));
        var cluster = new Cluster(channels, options.controllers());
        var peers = new SocketPeers();
        var callers =
                new Callers(
                        new TokenChecks(cluster::owner, options.clock()),
                        peers,
                        !options.isEncrypted(),
                        names(options));
        var server =
                opened(
                        RestServer.open(
                                List.of(new SlurmApi(cluster), new OwnApi(cluster)),
                                callers,
                                new Budgets(Budgets.Limits.DEFAULTS),
                                Cluster::told,
                                new InetSocketAddress(
                                        options.listen().host(), options.listen().port()),
                                options.isEncrypted() ? tls(options) : null));
        this.address = server.address();
        if (identity != null) {
            opened(
                    CertificateRenewal.start(
                            identity,
                            JoiningClient.renewals(channels, options.controllers()),
                            channels::reconnect,
                            options.clock()));
        }
        LOG.atInfo()
                .addKeyValue("address", address)
                .addKeyValue("controllers", options.controllers())
                .log("REST serves");
    }

    static RestService start(RestOptions options) throws IOException {
        return new RestService(options);
    }

    private static Set<String> names(RestOptions options) {
        var names = new HashSet<>(options.hosts());
        names.addAll(List.of("localhost", "127.0.0.1", "::1"));
        names.addAll(List.of(ThisHost.shortName(), ThisHost.fullName(), options.listen().host()));
        return Set.copyOf(names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList());
    }

    private static @Nullable SSLContext tls(RestOptions options) {
        var identity = options.identity();
        if (identity == null) {
            return null;
        }
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {identity.keyManager()}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot set up TLS with this host's certificate", e);
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    InetSocketAddress address() {
        return address;
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        closed.await();
    }

    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("a part did not stop in order");
            }
        }
        closed.countDown();
    }
}
