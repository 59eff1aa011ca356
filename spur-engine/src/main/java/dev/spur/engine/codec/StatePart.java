package dev.spur.engine.codec;

import dev.spur.engine.account.Account;
import dev.spur.engine.account.AccountNumbers;
import dev.spur.engine.account.Association;
import dev.spur.engine.account.PastUsage;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.User;
import dev.spur.engine.account.Wckey;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.credential.Credentials;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.site.PartitionEdit;
import dev.spur.engine.state.Counters;
import dev.spur.engine.state.Recording;
import dev.spur.engine.state.RememberedRequest;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A stored state is a sequence of these: the header, the rows of each table, the end.
sealed interface StatePart {
    record Header(
            Instant now,
            Counters counters,
            ClusterConfig config,
            Credentials credentials,
            TresRegistry tres,
            AccountNumbers accountNumbers,
            Instant usageCountedAt,
            @Nullable Recording recording,
            int reservationsMade)
            implements StatePart {}

    record NodeRow(Node node) implements StatePart {}

    record ArrayRow(ArrayLedger array) implements StatePart {}

    record JobRow(Job job) implements StatePart {}

    record RequestRow(RememberedRequest request) implements StatePart {}

    record AccountRow(Account account) implements StatePart {}

    record UserRow(User user) implements StatePart {}

    record AssociationRow(Association association) implements StatePart {}

    record QosRow(Qos qos) implements StatePart {}

    record WckeyRow(Wckey wckey) implements StatePart {}

    /// Of an association.
    record UsageRow(PastUsage usage) implements StatePart {}

    record QosUsageRow(PastUsage usage) implements StatePart {}

    record ReservationRow(Reservation reservation) implements StatePart {}

    record PartitionRow(PartitionEdit edit) implements StatePart {}

    /// What must come last.
    ///
    /// @param parts how many came before
    record End(long parts) implements StatePart {}
}
