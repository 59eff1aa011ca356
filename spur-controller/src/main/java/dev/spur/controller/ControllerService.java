package dev.spur.controller;

import dev.spur.api.v1.*;
import dev.spur.api.v1.ChangePartitionReply;
import dev.spur.api.v1.ChangePartitionRequest;
import dev.spur.api.v1.ChangeReservationReply;
import dev.spur.api.v1.ChangeReservationRequest;
import dev.spur.api.v1.DeletePartitionRequest;
import dev.spur.api.v1.DeleteReservationRequest;
import dev.spur.api.v1.ListReservationsReply;
import dev.spur.api.v1.ListReservationsRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.access.PacedStream;
import dev.spur.controller.cloud.CloudLinks;
import dev.spur.controller.cloud.CloudTokens;
import dev.spur.controller.cluster.ClusterInformation;
import dev.spur.controller.cluster.Reconfiguration;
import dev.spur.controller.job.JobActions;
import dev.spur.controller.job.JobExplanations;
import dev.spur.controller.job.JobListing;
import dev.spur.controller.job.JobScripts;
import dev.spur.controller.job.JobSubmission;
import dev.spur.controller.job.JobTest;
import dev.spur.controller.job.JobWatch;
import dev.spur.controller.job.PlanListing;
import dev.spur.controller.joining.HostJoining;
import dev.spur.controller.member.Members;
import dev.spur.controller.node.NodeListing;
import dev.spur.controller.node.NodeUpdates;
import dev.spur.controller.partition.PartitionChanges;
import dev.spur.controller.partition.PartitionListing;
import dev.spur.controller.reach.OutputReach;
import dev.spur.controller.reach.StepReach;
import dev.spur.controller.reservation.ReservationChanges;
import dev.spur.controller.reservation.ReservationListing;
import dev.spur.controller.step.LiveUsage;
import dev.spur.controller.step.StepCreation;
import dev.spur.controller.step.StepListing;
import dev.spur.controller.token.UserTokens;
import dev.spur.controller.watch.Watches;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/// The table of contents of what clients can ask: each call goes to its feature, in the caller's
/// name.
final class ControllerService extends ControllerGrpc.ControllerImplBase {
    private final Features features;

    record Features(
            JobSubmission submission,
            JobTest test,
            JobListing jobs,
            JobWatch watch,
            JobActions actions,
            JobScripts scripts,
            PlanListing plan,
            JobExplanations explanations,
            Watches watches,
            StepCreation stepCreation,
            StepListing steps,
            LiveUsage usage,
            OutputReach output,
            StepReach stepReach,
            NodeListing nodes,
            NodeUpdates nodeUpdates,
            PartitionListing partitions,
            PartitionChanges partitionChanges,
            ReservationListing reservations,
            ReservationChanges reservationChanges,
            ClusterInformation information,
            Reconfiguration reconfiguration,
            UserTokens tokens,
            CloudTokens cloudTokens,
            CloudLinks cloudLinks,
            HostJoining hosts,
            Members members) {}

    ControllerService(Features features) {
        this.features = features;
    }

    @Override
    public void submitJob(SubmitJobRequest request, StreamObserver<SubmitJobReply> reply) {
        Failures.answerLater(reply, () -> features.submission().submit(request, Caller.person()));
    }

    @Override
    public void testJob(SubmitJobRequest request, StreamObserver<TestJobReply> reply) {
        Failures.answer(reply, () -> features.test().test(request, Caller.person()));
    }

    @Override
    public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
        var stream = new PacedStream<>((ServerCallStreamObserver<ListJobsReply>) reply);
        stream.run(() -> features.jobs().list(request, Caller.person(), stream::send));
    }

    @Override
    public void listSteps(ListStepsRequest request, StreamObserver<ListStepsReply> reply) {
        Failures.answer(reply, () -> features.steps().list(request, Caller.person()));
    }

    @Override
    public void getStepUsage(GetStepUsageRequest request, StreamObserver<GetStepUsageReply> reply) {
        Failures.answerLater(reply, () -> features.usage().get(request, Caller.person()));
    }

    @Override
    public void watchJob(WatchJobRequest request, StreamObserver<JobUpdate> reply) {
        try {
            features.watch()
                    .watch(request, Caller.person(), (ServerCallStreamObserver<JobUpdate>) reply);
        } catch (RuntimeException e) {
            reply.onError(Failures.toStatus(e));
        }
    }

    @Override
    public void cancelJobs(CancelJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().cancel(request, Caller.person()));
    }

    @Override
    public void signalJobs(SignalJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answer(reply, () -> features.actions().signal(request, Caller.person()));
    }

    @Override
    public void holdJobs(HoldJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().hold(request, Caller.person()));
    }

    @Override
    public void releaseJobs(ReleaseJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().release(request, Caller.person()));
    }

    @Override
    public void requeueJobs(RequeueJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().requeue(request, Caller.person()));
    }

    @Override
    public void suspendJobs(SuspendJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().suspend(request, Caller.person()));
    }

    @Override
    public void resumeJobs(ResumeJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().resume(request, Caller.person()));
    }

    @Override
    public void topJobs(TopJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().top(request, Caller.person()));
    }

    @Override
    public void notifyJob(NotifyJobRequest request, StreamObserver<NotifyJobReply> reply) {
        Failures.answer(reply, () -> features.actions().tell(request, Caller.person()));
    }

    @Override
    public void updateJobs(UpdateJobsRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().update(request, Caller.person()));
    }

    @Override
    public void finishAllocation(
            FinishAllocationRequest request, StreamObserver<JobActionReply> reply) {
        Failures.answerLater(reply, () -> features.actions().finish(request, Caller.person()));
    }

    @Override
    public void getScript(GetScriptRequest request, StreamObserver<GetScriptReply> reply) {
        Failures.answer(reply, () -> features.scripts().get(request, Caller.person()));
    }

    @Override
    public void getPlan(GetPlanRequest request, StreamObserver<GetPlanReply> reply) {
        var stream = new PacedStream<>((ServerCallStreamObserver<GetPlanReply>) reply);
        stream.run(() -> features.plan().list(request, Caller.person(), stream::send));
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<WatchReply> reply) {
        try {
            features.watches()
                    .watch(request, Caller.person(), (ServerCallStreamObserver<WatchReply>) reply);
        } catch (RuntimeException e) {
            reply.onError(Failures.toStatus(e));
        }
    }

    @Override
    public void explainJob(ExplainJobRequest request, StreamObserver<ExplainJobReply> reply) {
        Failures.answer(reply, () -> features.explanations().explain(request, Caller.person()));
    }

    @Override
    public void createStep(CreateStepRequest request, StreamObserver<CreateStepReply> reply) {
        Failures.answer(reply, () -> features.stepCreation().create(request, Caller.person()));
    }

    @Override
    public void reachStep(ReachStepRequest request, StreamObserver<ReachStepReply> reply) {
        Failures.answer(reply, () -> features.stepReach().reach(request, Caller.person()));
    }

    @Override
    public void reachOutput(ReachOutputRequest request, StreamObserver<ReachOutputReply> reply) {
        Failures.answer(reply, () -> features.output().reach(request, Caller.person()));
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesReply> reply) {
        Failures.answer(reply, () -> features.nodes().list(request));
    }

    @Override
    public void updateNodes(UpdateNodesRequest request, StreamObserver<UpdateNodesReply> reply) {
        Failures.answer(reply, () -> features.nodeUpdates().update(request, Caller.CURRENT.get()));
    }

    @Override
    public void listPartitions(
            ListPartitionsRequest request, StreamObserver<ListPartitionsReply> reply) {
        Failures.answer(reply, () -> features.partitions().list(request));
    }

    @Override
    public void createPartition(
            ChangePartitionRequest request, StreamObserver<ChangePartitionReply> reply) {
        Failures.answer(reply, () -> features.partitionChanges().create(request, Caller.person()));
    }

    @Override
    public void updatePartition(
            ChangePartitionRequest request, StreamObserver<ChangePartitionReply> reply) {
        Failures.answer(reply, () -> features.partitionChanges().update(request, Caller.person()));
    }

    @Override
    public void deletePartition(
            DeletePartitionRequest request, StreamObserver<ChangePartitionReply> reply) {
        Failures.answer(reply, () -> features.partitionChanges().delete(request, Caller.person()));
    }

    @Override
    public void listReservations(
            ListReservationsRequest request, StreamObserver<ListReservationsReply> reply) {
        Failures.answer(reply, () -> features.reservations().list(request));
    }

    @Override
    public void createReservation(
            ChangeReservationRequest request, StreamObserver<ChangeReservationReply> reply) {
        Failures.answer(
                reply, () -> features.reservationChanges().create(request, Caller.person()));
    }

    @Override
    public void updateReservation(
            ChangeReservationRequest request, StreamObserver<ChangeReservationReply> reply) {
        Failures.answer(
                reply, () -> features.reservationChanges().update(request, Caller.person()));
    }

    @Override
    public void deleteReservation(
            DeleteReservationRequest request, StreamObserver<ChangeReservationReply> reply) {
        Failures.answer(
                reply, () -> features.reservationChanges().delete(request, Caller.person()));
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingReply> reply) {
        Failures.answer(reply, () -> features.information().ping(Caller.CURRENT.get()));
    }

    @Override
    public void getConfig(GetConfigRequest request, StreamObserver<GetConfigReply> reply) {
        Failures.answer(reply, features.information()::config);
    }

    @Override
    public void reconfigure(ReconfigureRequest request, StreamObserver<ReconfigureReply> reply) {
        Failures.answer(
                reply,
                () ->
                        features.reconfiguration()
                                .reload(request.getRequestId(), Caller.person().actor()));
    }

    @Override
    public void createToken(CreateTokenRequest request, StreamObserver<CreateTokenReply> reply) {
        Failures.answer(reply, () -> features.tokens().create(request, Caller.person()));
    }

    @Override
    public void listTokens(ListTokensRequest request, StreamObserver<ListTokensReply> reply) {
        Failures.answer(reply, () -> features.tokens().list(request, Caller.person()));
    }

    @Override
    public void revokeToken(RevokeTokenRequest request, StreamObserver<RevokeTokenReply> reply) {
        Failures.answer(reply, () -> features.tokens().revoke(request, Caller.person()));
    }

    @Override
    public void issueUserToken(
            IssueUserTokenRequest request, StreamObserver<IssueUserTokenReply> reply) {
        Failures.answer(reply, () -> features.cloudTokens().issue(request, Caller.host()));
    }

    @Override
    public void linkCloudUser(
            LinkCloudUserRequest request, StreamObserver<LinkCloudUserReply> reply) {
        Failures.answer(reply, () -> features.cloudLinks().link(request, Caller.person()));
    }

    @Override
    public void claimCloudLink(
            ClaimCloudLinkRequest request, StreamObserver<ClaimCloudLinkReply> reply) {
        Failures.answer(reply, () -> features.cloudLinks().claim(request, Caller.host()));
    }

    @Override
    public void unlinkCloudUser(
            UnlinkCloudUserRequest request, StreamObserver<UnlinkCloudUserReply> reply) {
        Failures.answer(reply, () -> features.cloudLinks().unlink(request, Caller.person()));
    }

    @Override
    public void createJoinToken(
            CreateJoinTokenRequest request, StreamObserver<CreateJoinTokenReply> reply) {
        Failures.answer(reply, () -> features.hosts().createJoinToken(request, Caller.person()));
    }

    @Override
    public void renewCertificate(
            RenewCertificateRequest request, StreamObserver<RenewCertificateReply> reply) {
        Failures.answer(reply, () -> features.hosts().renew(request, Caller.host()));
    }

    @Override
    public void revokeCertificate(
            RevokeCertificateRequest request, StreamObserver<RevokeCertificateReply> reply) {
        Failures.answer(reply, () -> features.hosts().revoke(request, Caller.person()));
    }

    @Override
    public void removeController(
            RemoveControllerRequest request, StreamObserver<RemoveControllerReply> reply) {
        Failures.answer(reply, () -> features.members().remove(request, Caller.person()));
    }
}
