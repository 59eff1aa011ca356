package dev.spur.runtime.identity;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the certificate of a running daemon fresh: renews it in the last third of its life, and
/// takes over what another daemon of this host has renewed, or got with a new token, meanwhile.
public final class CertificateRenewal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CertificateRenewal.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(10);
    private static final Duration ASK_EVERY = Duration.ofHours(1);

    private final HostIdentity identity;
    private final List<UnaryOperator<byte[]>> controllers;
    private final Runnable changed;
    private final Thread thread;
    private Instant notBefore = Instant.MIN;

    CertificateRenewal(
            HostIdentity identity,
            List<UnaryOperator<byte[]>> controllers,
            Runnable changed,
            InstantSource clock) {
        this.identity = identity;
        this.controllers = List.copyOf(controllers);
        this.changed = changed;
        this.thread =
                Thread.ofVirtual().name("certificate-renewal").unstarted(() -> keepFresh(clock));
    }

    /// Goes on until it is closed.
    ///
    /// @param controllers how to ask each: a certificate request (DER) becomes a certificate (DER)
    /// @param changed connections that were made before have the old certificate
    public static CertificateRenewal start(
            HostIdentity identity,
            List<UnaryOperator<byte[]>> controllers,
            Runnable changed,
            InstantSource clock) {
        var renewal = new CertificateRenewal(identity, controllers, changed, clock);
        renewal.thread.start();
        return renewal;
    }

    private void keepFresh(InstantSource clock) {
        try {
            while (true) {
                look(clock.instant());
                Thread.sleep(LOOK_EVERY);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void look(Instant now) {
        if (identity.takeOver()) {
            tell("this host has another certificate now");
            changed.run();
        }
        if (identity.isDueForRenewal(now) && !now.isBefore(notBefore)) {
            notBefore = now.plus(ASK_EVERY);
            renew();
        }
    }

    /// By whichever controller does it. Whatever goes wrong, also here (a full disk for one), the
    /// next try is as good as the first.
    private void renew() {
        for (var controller : controllers) {
            try {
                identity.renew(controller.apply(identity.renewalRequest()));
                tell("certificate renewed");
                changed.run();
                return;
            } catch (RuntimeException e) {
                log.atWarn()
                        .addKeyValue("cause", e.getMessage())
                        .log("cannot renew this host's certificate; trying again in an hour");
            }
        }
    }

    private void tell(String what) {
        log.atInfo()
                .addKeyValue("until", identity.certificate().getNotAfter().toInstant())
                .log(what);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
