package dev.spur.engine.account;

import dev.spur.model.Role;
import dev.spur.model.notation.Text;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One thing that is set of an account, a user, an association or a QOS. Append-only.
public sealed interface AccountSetting {
    /// How a list is changed.
    enum Way {
        SET("="),
        ADD("+="),
        REMOVE("-=");

        private final String sign;

        Way(String sign) {
            this.sign = sign;
        }
    }

    /// @param value missing: not limited here
    record SetCount(CountLimit limit, @Nullable Integer value) implements AccountSetting {}

    /// @param amounts by number of the resource; negative ones clear
    record SetTres(TresLimit limit, Map<Integer, Long> amounts) implements AccountSetting {
        public SetTres {
            amounts = new TresAmounts(amounts).byNumber();
        }
    }

    record SetShares(Shares shares) implements AccountSetting {}

    /// Of an association.
    record SetPriority(@Nullable Integer priority) implements AccountSetting {}

    /// Which QOS the jobs of an association may ask for. None at all: those of the parent.
    record SetAllowedQos(Way way, List<String> qos) implements AccountSetting {
        public SetAllowedQos {
            qos = List.copyOf(qos);
        }
    }

    /// @param qos empty: that of the parent
    record SetDefaultQos(String qos) implements AccountSetting {}

    /// Moves an account below another one.
    record SetParent(String account) implements AccountSetting {}

    record SetComment(String text) implements AccountSetting {}

    record SetDescription(String text) implements AccountSetting {}

    record SetOrganization(String text) implements AccountSetting {}

    record SetDefaultAccount(String account) implements AccountSetting {}

    record SetDefaultWckey(String wckey) implements AccountSetting {}

    record SetAdminLevel(Role level) implements AccountSetting {}

    record SetQosPriority(int priority) implements AccountSetting {}

    record SetFlags(Way way, List<QosFlag> flags) implements AccountSetting {
        public SetFlags {
            flags = List.copyOf(flags);
        }
    }

    record SetUsageFactor(Double factor) implements AccountSetting {}

    record SetUsageThreshold(@Nullable Double threshold) implements AccountSetting {}

    record SetPreempt(Way way, List<String> qos) implements AccountSetting {
        public SetPreempt {
            qos = List.copyOf(qos);
        }
    }

    record SetPreemptMode(String mode) implements AccountSetting {}

    record SetGrace(int seconds) implements AccountSetting {}

    record SetPreemptExempt(@Nullable Integer seconds) implements AccountSetting {}

    /// What was used so far counts no more (`rawusage=0`).
    record ForgetUsage() implements AccountSetting {}

    /// `MaxJobs=3`, for the record of what was changed.
    default String line() {
        return switch (this) {
            case SetCount(var limit, var value) -> limit.word() + "=" + or(value, "-1");
            case SetTres(var limit, var amounts) -> limit.word() + "=" + new TresAmounts(amounts);
            case SetShares(var shares) -> "Fairshare=" + shares;
            case SetPriority(var priority) -> "Priority=" + or(priority, "-1");
            case SetAllowedQos(var way, var qos) ->
                    Text.of("QOS%s%s", way.sign, String.join(",", qos));
            case SetDefaultQos(var qos) -> "DefaultQOS=" + qos;
            case SetParent(var account) -> "Parent=" + account;
            case SetComment(var text) -> "Comment=" + text;
            case SetDescription(var text) -> "Description=" + text;
            case SetOrganization(var text) -> "Organization=" + text;
            case SetDefaultAccount(var account) -> "DefaultAccount=" + account;
            case SetDefaultWckey(var wckey) -> "DefaultWCKey=" + wckey;
            case SetAdminLevel(var level) -> "AdminLevel=" + adminLevel(level);
            case SetQosPriority(var priority) -> "Priority=" + priority;
            case SetFlags(var way, var flags) ->
                    Text.of(
                            "Flags%s%s",
                            way.sign, String.join(",", flags.stream().map(QosFlag::word).toList()));
            case SetUsageFactor(var factor) -> "UsageFactor=" + factor;
            case SetUsageThreshold(var threshold) -> "UsageThreshold=" + or(threshold, "-1");
            case SetPreempt(var way, var qos) ->
                    Text.of("Preempt%s%s", way.sign, String.join(",", qos));
            case SetPreemptMode(var mode) -> "PreemptMode=" + mode;
            case SetGrace(var seconds) -> "GraceTime=" + seconds;
            case SetPreemptExempt(var seconds) -> "PreemptExemptTime=" + or(seconds, "-1");
            case ForgetUsage() -> "RawUsage=0";
        };
    }

    private static String or(@Nullable Object value, String otherwise) {
        return value == null ? otherwise : value.toString();
    }

    /// In sacctmgr's words.
    static String adminLevel(Role level) {
        return switch (level) {
            case USER -> "None";
            case OPERATOR -> "Operator";
            case ADMIN -> "Administrator";
        };
    }
}
