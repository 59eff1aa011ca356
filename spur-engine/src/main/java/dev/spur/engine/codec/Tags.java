package dev.spur.engine.codec;

import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.AccountsChange;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.RememberedAnswer;
import dev.spur.engine.state.Result;
import dev.spur.model.MemoryRequest;
import dev.spur.model.notation.Text;
import dev.spur.model.notation.TimeLimit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The numbers by which members of sealed families are known in logs and snapshots. Add a new
/// member at the end of its family with the next number. A number is for ever: of a member that is
/// no longer written keep the class, so that old logs replay.
final class Tags {
    static final Tags ALL =
            new Tags(
                    List.of(
                            family(
                                    Command.class,
                                    tag(1, Command.SubmitJob.class),
                                    tag(2, Command.UpdateJobs.class),
                                    tag(3, Command.HoldJobs.class),
                                    tag(4, Command.ReleaseJobs.class),
                                    tag(5, Command.CancelJobs.class),
                                    tag(6, Command.RequeueJobs.class),
                                    tag(7, Command.SuspendJobs.class),
                                    tag(8, Command.ResumeJobs.class),
                                    tag(9, Command.FinishAllocation.class),
                                    tag(10, Command.CreateStep.class),
                                    tag(11, Command.UpdateNodes.class),
                                    tag(12, Command.ApplyConfig.class),
                                    tag(13, Command.CreateToken.class),
                                    tag(14, Command.RevokeToken.class),
                                    tag(15, Command.CreateJoinToken.class),
                                    tag(16, Command.RevokeCertificate.class),
                                    tag(17, Command.UseJoinToken.class),
                                    tag(18, Command.StartJobs.class),
                                    // 19 was a note about plans, before anything was released
                                    tag(20, Command.StepStarted.class),
                                    tag(21, Command.StepEnded.class),
                                    tag(22, Command.JobGone.class),
                                    tag(23, Command.LaunchFailed.class),
                                    tag(24, Command.RegisterNode.class),
                                    tag(25, Command.NodeLost.class),
                                    tag(26, Command.NodeResponded.class),
                                    tag(27, Command.AdvanceTime.class),
                                    // 28 was a command that nobody gave.
                                    tag(29, Command.LeaderTookOver.class),
                                    tag(30, Command.NodeFault.class),
                                    tag(31, Command.GrantLease.class),
                                    tag(32, Command.RevokeHost.class),
                                    tag(33, Command.CertifyHost.class),
                                    tag(34, Command.ChangeAccounts.class),
                                    tag(35, Command.BeginRecords.class),
                                    tag(36, Command.RecordsStored.class),
                                    tag(37, Command.CreateReservation.class),
                                    tag(38, Command.UpdateReservation.class),
                                    tag(39, Command.DeleteReservation.class),
                                    tag(40, Command.CreatePartition.class),
                                    tag(41, Command.UpdatePartition.class),
                                    tag(42, Command.DeletePartition.class),
                                    tag(43, Command.TopJobs.class),
                                    tag(44, Command.LinkCloudUser.class),
                                    tag(45, Command.UnlinkCloudUser.class),
                                    tag(46, Command.ClaimCloudLink.class)),
                            family(
                                    JobChange.class,
                                    tag(1, JobChange.SetTimeLimit.class),
                                    tag(2, JobChange.SetName.class),
                                    tag(3, JobChange.SetPartitions.class),
                                    tag(4, JobChange.SetPriority.class),
                                    tag(5, JobChange.SetNice.class),
                                    tag(6, JobChange.SetBegin.class),
                                    tag(7, JobChange.SetDeadline.class),
                                    tag(8, JobChange.SetDependency.class),
                                    tag(9, JobChange.SetComment.class),
                                    tag(10, JobChange.SetAdminComment.class),
                                    tag(11, JobChange.SetAccount.class),
                                    tag(12, JobChange.SetQos.class),
                                    tag(13, JobChange.SetRequeue.class),
                                    tag(14, JobChange.SetNodes.class),
                                    tag(15, JobChange.SetTasks.class),
                                    tag(16, JobChange.SetCpusPerTask.class),
                                    tag(17, JobChange.SetMemory.class),
                                    tag(18, JobChange.SetConstraint.class),
                                    tag(19, JobChange.SetGresPerNode.class),
                                    tag(20, JobChange.SetNodeList.class),
                                    tag(21, JobChange.SetExclude.class),
                                    tag(22, JobChange.SetArrayThrottle.class),
                                    tag(23, JobChange.SetStdOut.class),
                                    tag(24, JobChange.SetStdErr.class),
                                    tag(25, JobChange.SetCpus.class),
                                    tag(26, JobChange.SetReservation.class)),
                            family(
                                    NodeChange.class,
                                    tag(1, NodeChange.Drain.class),
                                    tag(2, NodeChange.Undrain.class),
                                    tag(3, NodeChange.Down.class),
                                    tag(4, NodeChange.Resume.class),
                                    tag(5, NodeChange.SetReason.class),
                                    tag(6, NodeChange.SetWeight.class),
                                    tag(7, NodeChange.SetFeatures.class),
                                    tag(8, NodeChange.SetComment.class),
                                    tag(9, NodeChange.SetActiveFeatures.class)),
                            family(
                                    JobPhase.class,
                                    tag(1, JobPhase.Pending.class),
                                    tag(2, JobPhase.Running.class),
                                    tag(3, JobPhase.Suspended.class),
                                    tag(4, JobPhase.Completing.class),
                                    tag(5, JobPhase.Ended.class)),
                            family(
                                    Result.class,
                                    tag(1, Result.Done.class),
                                    tag(2, Result.Submitted.class),
                                    tag(3, Result.Refused.class),
                                    tag(4, Result.PerJob.class),
                                    tag(5, Result.StepCreated.class),
                                    tag(6, Result.StepBusy.class),
                                    tag(7, Result.Started.class),
                                    tag(8, Result.Ignored.class),
                                    tag(9, Result.AccountsChanged.class),
                                    tag(12, Result.ReservationCreated.class),
                                    tag(13, Result.CloudUserLinked.class)),
                            family(
                                    RememberedAnswer.class,
                                    tag(1, RememberedAnswer.InFull.class),
                                    tag(2, RememberedAnswer.Verdicts.class),
                                    tag(3, RememberedAnswer.OfStep.class)),
                            family(
                                    MemoryRequest.class,
                                    tag(1, MemoryRequest.Unspecified.class),
                                    tag(2, MemoryRequest.WholeNode.class),
                                    tag(3, MemoryRequest.PerNode.class),
                                    tag(4, MemoryRequest.PerCpu.class),
                                    tag(5, MemoryRequest.PerGpu.class)),
                            family(
                                    TimeLimit.class,
                                    tag(1, TimeLimit.Limited.class),
                                    tag(2, TimeLimit.Unlimited.class)),
                            family(
                                    StatePart.class,
                                    tag(1, StatePart.Header.class),
                                    tag(2, StatePart.NodeRow.class),
                                    tag(3, StatePart.ArrayRow.class),
                                    tag(4, StatePart.JobRow.class),
                                    tag(5, StatePart.RequestRow.class),
                                    tag(6, StatePart.End.class),
                                    tag(7, StatePart.AccountRow.class),
                                    tag(8, StatePart.UserRow.class),
                                    tag(9, StatePart.AssociationRow.class),
                                    tag(10, StatePart.QosRow.class),
                                    tag(11, StatePart.WckeyRow.class),
                                    tag(12, StatePart.UsageRow.class),
                                    tag(13, StatePart.QosUsageRow.class),
                                    tag(14, StatePart.ReservationRow.class),
                                    tag(15, StatePart.PartitionRow.class)),
                            family(
                                    AccountsChange.class,
                                    tag(1, AccountsChange.AddAccounts.class),
                                    tag(2, AccountsChange.AddUsers.class),
                                    tag(3, AccountsChange.AddQos.class),
                                    tag(4, AccountsChange.AddCoordinators.class),
                                    tag(5, AccountsChange.AddWckeys.class),
                                    tag(6, AccountsChange.Modify.class),
                                    tag(7, AccountsChange.Delete.class)),
                            family(
                                    AccountSetting.class,
                                    tag(1, AccountSetting.SetCount.class),
                                    tag(2, AccountSetting.SetTres.class),
                                    tag(3, AccountSetting.SetShares.class),
                                    tag(4, AccountSetting.SetPriority.class),
                                    tag(5, AccountSetting.SetAllowedQos.class),
                                    tag(6, AccountSetting.SetDefaultQos.class),
                                    tag(7, AccountSetting.SetParent.class),
                                    tag(8, AccountSetting.SetComment.class),
                                    tag(9, AccountSetting.SetDescription.class),
                                    tag(10, AccountSetting.SetOrganization.class),
                                    tag(11, AccountSetting.SetDefaultAccount.class),
                                    tag(12, AccountSetting.SetDefaultWckey.class),
                                    tag(13, AccountSetting.SetAdminLevel.class),
                                    tag(14, AccountSetting.SetQosPriority.class),
                                    tag(15, AccountSetting.SetFlags.class),
                                    tag(16, AccountSetting.SetUsageFactor.class),
                                    tag(17, AccountSetting.SetUsageThreshold.class),
                                    tag(18, AccountSetting.SetPreempt.class),
                                    tag(19, AccountSetting.SetPreemptMode.class),
                                    tag(20, AccountSetting.SetGrace.class),
                                    tag(21, AccountSetting.SetPreemptExempt.class),
                                    tag(22, AccountSetting.ForgetUsage.class))));

    record Tag(int number, Class<?> member) {}

    record Family(Class<?> type, List<Tag> tags) {}

    private final Map<Class<?>, Map<Class<?>, Integer>> numbers = new HashMap<>();

    Tags(List<Family> families) {
        for (var family : families) {
            var known = new HashMap<Class<?>, Integer>();
            var taken = new HashSet<Integer>();
            for (var tag : family.tags) {
                if (known.put(tag.member, tag.number) != null || !taken.add(tag.number)) {
                    throw new IllegalArgumentException(
                            Text.of(
                                    "%s: tag %d, or its member, comes twice",
                                    family.type.getName(), tag.number));
                }
            }
            numbers.put(family.type, known);
        }
    }

    static Family family(Class<?> type, Tag... tags) {
        return new Family(type, List.of(tags));
    }

    static Tag tag(int number, Class<?> member) {
        return new Tag(number, member);
    }

    int of(Class<?> family, Class<?> member) {
        var known = numbers.get(family);
        @Nullable Integer number = known == null ? null : known.get(member);
        if (number == null) {
            throw new IllegalArgumentException(
                    Text.of(
                            "%s has no tag in %s: add one to Tags",
                            member.getName(), family.getName()));
        }
        return number;
    }
}
