package dev.spur.controller.account;

import dev.spur.api.v1.AccountsGrpc;
import dev.spur.api.v1.ChangeAccountsReply;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.ListAccountsRequest;
import dev.spur.api.v1.ListPrioritiesReply;
import dev.spur.api.v1.ListPrioritiesRequest;
import dev.spur.api.v1.ListRecordsReply;
import dev.spur.api.v1.ListRecordsRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.access.PacedStream;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.record.RecordListing;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;

/// Who may use what: for sacctmgr, sshare and sprio.
public class AccountsService extends AccountsGrpc.AccountsImplBase {
    private final AccountListing listing;
    private final AccountChanges changes;
    private final PriorityListing priorities;
    private final RecordListing records;

    public AccountsService(
            Proposals proposals,
            ReplicatedState state,
            Visibility visibility,
            InstantSource clock,
            RecordListing records) {
        this.records = records;
        listing = new AccountListing(state, clock);
        changes = new AccountChanges(proposals, state);
        priorities = new PriorityListing(state, visibility, clock);
    }

    @Override
    public void listAccounts(ListAccountsRequest request, StreamObserver<ListAccountsReply> reply) {
        var stream = new PacedStream<>((ServerCallStreamObserver<ListAccountsReply>) reply);
        stream.run(() -> listing.list(request, Caller.person(), stream::send));
    }

    @Override
    public void listPriorities(
            ListPrioritiesRequest request, StreamObserver<ListPrioritiesReply> reply) {
        Failures.answer(reply, () -> priorities.list(request, Caller.person()));
    }

    @Override
    public void listRecords(ListRecordsRequest request, StreamObserver<ListRecordsReply> reply) {
        var stream = new PacedStream<>((ServerCallStreamObserver<ListRecordsReply>) reply);
        stream.run(() -> records.list(request, Caller.person(), stream::send));
    }

    @Override
    public void changeAccounts(
            ChangeAccountsRequest request, StreamObserver<ChangeAccountsReply> reply) {
        Failures.answer(reply, () -> changes.change(request, Caller.person()));
    }
}
