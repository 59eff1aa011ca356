package dev.spur.engine.state;

import dev.spur.engine.account.AccountsChange;
import dev.spur.engine.credential.HostCertificate;
import dev.spur.engine.credential.IssuedJoinToken;
import dev.spur.engine.credential.IssuedToken;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.site.PartitionSetting;
import dev.spur.engine.step.LaunchFault;
import dev.spur.engine.step.StepEnd;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.Actor;
import dev.spur.model.BlobRef;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobSpec;
import dev.spur.model.NodeReport;
import dev.spur.model.Placement;
import dev.spur.model.StepId;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A decision the cluster has agreed on. Whatever `apply` needs travels inside the command:
/// applying reads no clock, no configuration and no random source, so every replica, and every
/// replay years later, arrives at the same state.
///
/// Append-only: a new intent is a new record, a new component is added at the end.
public sealed interface Command {
    /// Stamped once, by the leader; never earlier than that of the command before.
    Instant at();

    /// What a person or a tool asked for. The state remembers the user's request id with its
    /// result, so a retry is answered without acting again; an empty id is not remembered.
    sealed interface Request extends Command {
        String requestId();

        Actor actor();
    }

    record SubmitJob(
            Instant at,
            String requestId,
            Actor actor,
            JobSpec spec,
            @Nullable BlobRef script,
            @Nullable BlobRef environment)
            implements Request {}

    record UpdateJobs(
            Instant at,
            String requestId,
            Actor actor,
            List<JobSelector> jobs,
            List<JobChange> changes)
            implements Request {
        public UpdateJobs {
            jobs = List.copyOf(jobs);
            changes = List.copyOf(changes);
        }
    }

    /// `scontrol hold`.
    ///
    /// @param asUser `scontrol uhold`: the owner may release it, whoever held it
    record HoldJobs(
            Instant at, String requestId, Actor actor, List<JobSelector> jobs, boolean asUser)
            implements Request {
        public HoldJobs {
            jobs = List.copyOf(jobs);
        }
    }

    record ReleaseJobs(Instant at, String requestId, Actor actor, List<JobSelector> jobs)
            implements Request {
        public ReleaseJobs {
            jobs = List.copyOf(jobs);
        }
    }

    /// Selectors with a step end that step only.
    record CancelJobs(Instant at, String requestId, Actor actor, List<JobSelector> jobs)
            implements Request {
        public CancelJobs {
            jobs = List.copyOf(jobs);
        }
    }

    /// @param specialExit they are held in the state `SPECIAL_EXIT`
    /// @param incompleteOnly those that do not run are left as they are
    record RequeueJobs(
            Instant at,
            String requestId,
            Actor actor,
            List<JobSelector> jobs,
            boolean hold,
            boolean specialExit,
            boolean incompleteOnly)
            implements Request {
        public RequeueJobs {
            jobs = List.copyOf(jobs);
        }
    }

    /// @param freesCpus others may have their CPUs while they stand still
    record SuspendJobs(
            Instant at, String requestId, Actor actor, List<JobSelector> jobs, boolean freesCpus)
            implements Request {
        public SuspendJobs {
            jobs = List.copyOf(jobs);
        }
    }

    record ResumeJobs(Instant at, String requestId, Actor actor, List<JobSelector> jobs)
            implements Request {
        public ResumeJobs {
            jobs = List.copyOf(jobs);
        }
    }

    /// `scontrol top`: before the other jobs of the same user, in this order.
    record TopJobs(Instant at, String requestId, Actor actor, List<JobSelector> jobs)
            implements Request {
        public TopJobs {
            jobs = List.copyOf(jobs);
        }
    }

    /// `salloc` or `srun` needs its allocation no longer.
    record FinishAllocation(Instant at, String requestId, Actor actor, JobId job, ExitStatus exit)
            implements Request {}

    record CreateStep(Instant at, String requestId, Actor actor, JobId job, StepRequest step)
            implements Request {}

    record UpdateNodes(
            Instant at, String requestId, Actor actor, List<String> nodes, List<NodeChange> changes)
            implements Request {
        public UpdateNodes {
            nodes = List.copyOf(nodes);
            changes = List.copyOf(changes);
        }
    }

    /// @param keepsEdits what administrators made of its partitions stays
    record ApplyConfig(
            Instant at, String requestId, Actor actor, ClusterConfig config, boolean keepsEdits)
            implements Request {
        public ApplyConfig(Instant at, String requestId, Actor actor, ClusterConfig config) {
            this(at, requestId, actor, config, false);
        }
    }

    /// `sacctmgr add`, `modify` and `delete`: all of it, or nothing.
    ///
    /// @param expectedRevision refused if something else was changed since; 0: whatever it is
    record ChangeAccounts(
            Instant at,
            String requestId,
            Actor actor,
            List<AccountsChange> changes,
            long expectedRevision)
            implements Request {
        public ChangeAccounts {
            changes = List.copyOf(changes);
        }
    }

    record CreateToken(Instant at, String requestId, Actor actor, IssuedToken token)
            implements Request {}

    record RevokeToken(Instant at, String requestId, Actor actor, String id) implements Request {}

    record CreateJoinToken(Instant at, String requestId, Actor actor, IssuedJoinToken token)
            implements Request {}

    record RevokeCertificate(Instant at, String requestId, Actor actor, String serial)
            implements Request {}

    /// Makes every certificate worthless that the host was given until now, by whichever
    /// controller.
    record RevokeHost(Instant at, String requestId, Actor actor, String host) implements Request {}

    record CreateReservation(
            Instant at, String requestId, Actor actor, ReservationRequest reservation)
            implements Request {}

    /// Of the reservation that the request names.
    record UpdateReservation(
            Instant at, String requestId, Actor actor, ReservationRequest reservation)
            implements Request {}

    record DeleteReservation(Instant at, String requestId, Actor actor, String name)
            implements Request {}

    record CreatePartition(
            Instant at, String requestId, Actor actor, String name, List<PartitionSetting> settings)
            implements Request {
        public CreatePartition {
            settings = List.copyOf(settings);
        }
    }

    record UpdatePartition(
            Instant at, String requestId, Actor actor, String name, List<PartitionSetting> settings)
            implements Request {
        public UpdatePartition {
            settings = List.copyOf(settings);
        }
    }

    record DeletePartition(Instant at, String requestId, Actor actor, String name)
            implements Request {}

    /// Somebody typed a code that the cloud showed: it may speak for him when it shows the code.
    ///
    /// @param codeHash of the code, which is a secret
    record LinkCloudUser(Instant at, String requestId, Actor actor, String codeHash)
            implements Request {}

    /// The cloud speaks for this user no longer.
    record UnlinkCloudUser(Instant at, String requestId, Actor actor, int uid) implements Request {}

    /// A host of the cloud shows a code. The answer is [Result.CloudUserLinked] for the first that
    /// does.
    ///
    /// @param request by which that host is known when it asks again
    record ClaimCloudLink(Instant at, String codeHash, String host, String request)
            implements Command {}

    /// A host has a new certificate.
    record CertifyHost(Instant at, HostCertificate certificate) implements Command {}

    /// A host shows its one-time secret. The answer is [Result.Done] for the first that does.
    ///
    /// @param key hash of the public key that is to be certified
    record UseJoinToken(Instant at, String secretHash, String host, String key)
            implements Command {}

    record StartJobs(Instant at, List<JobStart> starts) implements Command {
        public StartJobs {
            starts = List.copyOf(starts);
        }
    }

    /// One start. Of an array record, the lowest waiting task starts.
    ///
    /// @param terms which [revision][dev.spur.engine.job.JobTerms#revision] it was planned for
    /// @param limit the time limit, lowered so that it could start now; missing: as it was
    /// @param reservation in which it runs; empty: in none
    record JobStart(
            JobId job,
            Placement placement,
            int terms,
            @Nullable TimeLimit limit,
            String reservation) {
        public JobStart(JobId job, Placement placement, int terms) {
            this(job, placement, terms, null, "");
        }
    }

    record StepStarted(Instant at, JobId job, int attempt, StepId step, String node)
            implements Command {}

    /// @param nothingLeft it was the last: nothing of the job is left on this node, nor will be, as
    ///   a [JobGone] after it would say
    record StepEnded(
            Instant at,
            JobId job,
            int attempt,
            StepId step,
            String node,
            StepEnd end,
            boolean nothingLeft)
            implements Command {
        public StepEnded(
                Instant at, JobId job, int attempt, StepId step, String node, StepEnd end) {
            this(at, job, attempt, step, node, end, false);
        }
    }

    /// Nothing of the job is left on this node, and no step ends with it.
    record JobGone(Instant at, JobId job, int attempt, String node) implements Command {}

    /// A step could not be started.
    ///
    /// @param fault the node is drained for its own only, and the job ends for its own
    record LaunchFailed(
            Instant at,
            JobId job,
            int attempt,
            StepId step,
            String node,
            String reason,
            LaunchFault fault)
            implements Command {}

    /// An agent came, or came back.
    ///
    /// @param jobs everything that the node still has
    record RegisterNode(Instant at, String node, NodeReport report, List<JobOnNode> jobs)
            implements Command {
        public RegisterNode {
            jobs = List.copyOf(jobs);
        }
    }

    record JobOnNode(JobId job, int attempt) {}

    /// The node fell silent: heartbeats are no commands, only this transition is.
    ///
    /// @param heardAt its last word cannot have been later
    record NodeLost(Instant at, String node, Instant heardAt) implements Command {}

    record NodeResponded(Instant at, String node) implements Command {}

    /// What an agent says of its own node.
    ///
    /// @param fault why no job should start there, in words; empty: it is well again
    record NodeFault(Instant at, String node, String fault) implements Command {}

    /// Time passed: begin times, time limits, deadlines, leases, ended jobs to forget.
    record AdvanceTime(Instant at) implements Command {}

    /// Another controller leads, or the same one again: what nodes were told before may never have
    /// reached them.
    record LeaderTookOver(Instant at) implements Command {}

    /// A node is about to hear of a longer lease, or has said that it counts on a shorter one.
    ///
    /// @param goneWithin see [NodeLease][dev.spur.engine.node.NodeLease]; missing: none
    /// @param configured by which configured lease this was decided. The node is told what is
    ///   configured at that moment, so under another configuration this is out of date. Missing: it
    ///   holds in any case
    record GrantLease(
            Instant at, String node, @Nullable Duration goneWithin, @Nullable Duration configured)
            implements Command {}

    /// There is an accounting database: from now on everything that it wants to know is recorded,
    /// and first what there is at this moment. Also if the database lacks what was forgotten.
    ///
    /// @param identity of the records, for the case that they have none yet
    record BeginRecords(Instant at, String identity) implements Command {}

    /// The accounting database has everything up to this record.
    ///
    /// @param address where it is reached
    record RecordsStored(Instant at, RecordNumber number, String address) implements Command {}
}
