package dev.spur.agent.registration;

import com.google.protobuf.ByteString;
import dev.spur.api.client.Channels;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.RenewCertificateRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Renews the node's certificate in the last third of its life.
public final class CertificateRenewal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CertificateRenewal.class);
    private static final Duration LOOK_EVERY = Duration.ofHours(1);
    private static final long TIMEOUT_SECONDS = 20;

    private final Thread thread;

    private CertificateRenewal(Thread thread) {
        this.thread = thread;
    }

    /// @param identity null without TLS: then there is nothing to renew
    public static CertificateRenewal start(
            @Nullable HostIdentity identity,
            Channels channels,
            List<HostAndPort> controllers,
            InstantSource clock) {
        var thread =
                Thread.ofVirtual()
                        .name("certificate-renewal")
                        .unstarted(() -> {
                            if (identity != null) {
                                keepFresh(identity, channels, controllers, clock);
                            }
                        });
        thread.start();
        return new CertificateRenewal(thread);
    }

    private static void keepFresh(
            HostIdentity identity,
            Channels channels,
            List<HostAndPort> controllers,
            InstantSource clock) {
        try {
            while (true) {
                if (identity.isDueForRenewal(clock.instant())) {
                    renew(identity, channels, controllers);
                }
                Thread.sleep(LOOK_EVERY);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void renew(
            HostIdentity identity, Channels channels, List<HostAndPort> controllers) {
        var request =
                RenewCertificateRequest.newBuilder()
                        .setCsr(ByteString.copyFrom(identity.renewalRequest()))
                        .build();
        for (var controller : controllers) {
            try {
                var reply =
                        ControllerGrpc.newBlockingStub(channels.controller(controller))
                                .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                                .renewCertificate(request);
                identity.renew(reply.getCertificate().toByteArray());
                log.atInfo()
                        .addKeyValue("until", identity.certificate().getNotAfter())
                        .log("certificate renewed");
                return;
            } catch (StatusRuntimeException e) {
                log.atWarn()
                        .addKeyValue("controller", controller)
                        .addKeyValue("cause", e.getStatus())
                        .log("cannot renew this node's certificate; trying again in an hour");
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
