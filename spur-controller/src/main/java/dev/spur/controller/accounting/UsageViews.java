package dev.spur.controller.accounting;

import dev.spur.api.v1.AssociationUsage;
import dev.spur.engine.account.Association;
import dev.spur.engine.account.FairShare;
import dev.spur.engine.account.PastUsage;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.UsageBook;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.state.Snapshot;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/// What was used and is in use at one moment, as sshare shows it.
public final class UsageViews {
    private final Snapshot snapshot;
    private final Instant now;
    private final Budgets inUse = new Budgets();
    private final FairShare shares;
    private final double fading;
    private final double all;

    public UsageViews(Snapshot snapshot, Instant now) {
        this.snapshot = snapshot;
        this.now = now;
        inUse.recount(snapshot.jobs(), snapshot);
        shares = snapshot.fairShare();
        fading =
                UsageBook.fading(
                        snapshot.usage().countedAt(), now, snapshot.config().rules().accounting());
        all = snapshot.usage().ofAssociation(Association.ROOT).billingSeconds();
    }

    Snapshot snapshot() {
        return snapshot;
    }

    AssociationUsage of(Association one) {
        var past = snapshot.usage().ofAssociation(one.id());
        var standing = shares.of(one.id());
        return view(past, fading, inUse.shown(one.id(), now))
                .setNormalized(all <= 0 ? 0 : past.billingSeconds() / all)
                .setEffective(standing.effectiveUsage())
                .setNormShares(one.id() == Association.ROOT ? 0 : standing.normShares())
                .setFairShare(one.isUser() ? standing.factor() : 0)
                .setLevelFs(standing.level())
                .build();
    }

    AssociationUsage of(Qos qos) {
        return view(
                        snapshot.usage().ofQos(qos.id()),
                        qos.has(QosFlag.NO_DECAY) ? 1 : fading,
                        inUse.shownOfQos(qos.id(), now))
                .build();
    }

    private AssociationUsage.Builder view(PastUsage past, double faded, Budgets.Shown now) {
        var view =
                AssociationUsage.newBuilder()
                        .setRaw(past.billingSeconds() * faded)
                        .setWallSeconds(past.wallSeconds() * faded)
                        .setJobs(now.running())
                        .setSubmitted(now.submitted());
        named(past.tresSeconds())
                .forEach((name, seconds) -> view.putTresSeconds(name, seconds * faded));
        view.putAllTresRunSeconds(named(now.runSeconds()));
        now.amounts()
                .forEach((id, amount) ->
                        snapshot.tres().name(id).ifPresent(name -> view.putTres(name, amount)));
        return view;
    }

    private <V> Map<String, V> named(Map<Integer, V> byNumber) {
        var named = new TreeMap<String, V>();
        byNumber.forEach(
                (id, value) -> snapshot.tres().name(id).ifPresent(name -> named.put(name, value)));
        return named;
    }
}
