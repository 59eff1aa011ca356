package dev.spur.engine.admission;

import dev.spur.engine.account.Association;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.User;
import dev.spur.engine.admission.Admission.RefusedException;
import dev.spur.engine.job.Charge;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.site.Site;
import dev.spur.model.AccountingRules;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.Role;
import dev.spur.model.notation.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whom a job is charged to: the account that it names or its user's default, the association of
/// both, the QOS that it names or the default of the association. Refused is only what is enforced.
final class ChargeReader {
    private final Site site;
    private final Actor actor;
    private final JobSpec spec;
    private final AccountingRules rules;
    private final @Nullable User user;

    ChargeReader(Site site, Actor actor, JobSpec spec) {
        this.site = site;
        this.actor = actor;
        this.spec = spec;
        rules = site.config().rules().accounting();
        user = site.accounts().users().get(spec.owner().userName());
    }

    /// In this partition.
    Charge read(String partition) {
        var name = spec.owner().userName();
        var account = spec.account();
        if (account.isEmpty() && user != null) {
            account = user.defaultAccount();
        }
        var association = site.accounts().inForce(account, name, partition).orElse(null);
        if (association == null && rules.associations()) {
            throw new RefusedException(ErrorCode.INVALID_ACCOUNT, noAssociation(name, account));
        }
        var qos = qos(association);
        return new Charge(
                association == null ? 0 : association.id(),
                account,
                qos == null ? 0 : qos.id(),
                qos == null ? spec.qos() : qos.name(),
                Budgets.partitionQos(partition, site),
                wckey(name));
    }

    private String noAssociation(String name, String account) {
        if (user == null) {
            return Text.of("user '%s' has no account associations", name);
        }
        return account.isEmpty()
                ? Text.of("no account resolved for user '%s'", name)
                : Text.of("user '%s' is not associated with account '%s'", name, account);
    }

    private @Nullable Qos qos(@Nullable Association association) {
        var qos = spec.qos().isEmpty() ? usual(association) : named();
        if (qos == null) {
            if (rules.qos()) {
                throw new RefusedException(
                        ErrorCode.INVALID_QOS,
                        spec.qos().isEmpty()
                                ? "no QOS specified and no default QOS is configured for this user/account"
                                : Text.of("QOS '%s' does not exist", spec.qos()));
            }
            return null;
        }
        if (rules.qos()
                && association != null
                && !actor.role().atLeast(Role.OPERATOR)
                && !allowed(association).contains(qos.id())) {
            throw new RefusedException(
                    ErrorCode.INVALID_QOS,
                    Text.of(
                            "QOS '%s' is not permitted for user '%s' under account '%s'",
                            qos.name(), spec.owner().userName(), association.account()));
        }
        if (qos.has(QosFlag.REQUIRES_RESERVATION) && spec.reservation().isEmpty()) {
            throw new RefusedException(
                    ErrorCode.INVALID_QOS,
                    Text.of("QOS '%s' is for jobs in a reservation", qos.name()));
        }
        return qos;
    }

    private List<Integer> allowed(Association association) {
        return site.accounts().qosInForce(association.id());
    }

    private @Nullable Qos named() {
        return site.accounts().qos(spec.qos()).orElse(null);
    }

    private @Nullable Qos usual(@Nullable Association association) {
        var own = association == null ? 0 : site.accounts().defaultQosInForce(association.id());
        if (own != 0) {
            return site.accounts().qos().get(own);
        }
        var configured = rules.defaultQos();
        if (!configured.isEmpty()) {
            return site.accounts()
                    .qos(configured)
                    .orElseThrow(() ->
                            new RefusedException(
                                    ErrorCode.INVALID_QOS,
                                    Text.of(
                                            "the default QOS '%s' of the configuration does not exist",
                                            configured)));
        }
        var normal = site.accounts().qos(Qos.NORMAL).orElse(null);
        if (association == null || normal == null) {
            return normal;
        }
        var allowed = allowed(association);
        return allowed.contains(normal.id()) || allowed.isEmpty()
                ? normal
                : site.accounts().qos().get(allowed.getFirst());
    }

    private String wckey(String name) {
        var asked = spec.notes().wckey();
        var wckey = asked.isEmpty() && user != null ? user.defaultWckey() : asked;
        if (rules.wckeys()
                && site.accounts().wckeys().values().stream()
                        .noneMatch(key -> key.user().equals(name) && key.name().equals(wckey))) {
            throw new RefusedException(
                    ErrorCode.INVALID_WCKEY,
                    wckey.isEmpty()
                            ? Text.of("user '%s' has no default wckey. Give one with --wckey", name)
                            : Text.of("'%s' is no wckey of user '%s'", wckey, name));
        }
        return wckey;
    }
}
