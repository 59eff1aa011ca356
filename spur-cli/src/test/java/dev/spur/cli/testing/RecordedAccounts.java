package dev.spur.cli.testing;

import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AccountsGrpc;
import dev.spur.api.v1.AffectedEntity;
import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationUsage;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.ChangeAccountsReply;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.ListAccountsRequest;
import dev.spur.api.v1.ListPrioritiesReply;
import dev.spur.api.v1.ListPrioritiesRequest;
import dev.spur.api.v1.QosLimits;
import dev.spur.api.v1.QosView;
import dev.spur.api.v1.TresView;
import dev.spur.api.v1.UserView;
import dev.spur.model.ErrorCode;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

/// The accounts of the recorded cluster. What it is asked to change it remembers, and changes
/// nothing.
public final class RecordedAccounts extends AccountsGrpc.AccountsImplBase {
    private final ListAccountsReply.Builder book = usual();
    private final List<ChangeAccountsRequest> asked = new ArrayList<>();
    private final Queue<Throwable> refusals = new ArrayDeque<>();
    private ListPrioritiesReply priorities = ListPrioritiesReply.getDefaultInstance();
    private ListPrioritiesRequest askedPriorities = ListPrioritiesRequest.getDefaultInstance();

    public RecordedAccounts also(Consumer<ListAccountsReply.Builder> more) {
        more.accept(book);
        return this;
    }

    public RecordedAccounts priorities(ListPrioritiesReply reply) {
        priorities = reply;
        return this;
    }

    /// The next change is refused.
    public RecordedAccounts refusing(ErrorCode code) {
        refusals.add(RecordedCluster.refusal(code));
        return this;
    }

    public List<ChangeAccountsRequest> asked() {
        return asked;
    }

    public ListPrioritiesRequest askedPriorities() {
        return askedPriorities;
    }

    @Override
    public void listAccounts(ListAccountsRequest request, StreamObserver<ListAccountsReply> reply) {
        // In two messages, as a large cluster would.
        reply.onNext(
                ListAccountsReply.newBuilder()
                        .setCluster(book.getCluster())
                        .setRevision(book.getRevision())
                        .addAllTres(book.getTresList())
                        .addAllAccounts(book.getAccountsList())
                        .build());
        reply.onNext(
                book.build().toBuilder()
                        .clearCluster()
                        .clearRevision()
                        .clearTres()
                        .clearAccounts()
                        .build());
        reply.onCompleted();
    }

    @Override
    public void changeAccounts(
            ChangeAccountsRequest request, StreamObserver<ChangeAccountsReply> reply) {
        asked.add(request);
        var refusal = refusals.poll();
        if (refusal != null) {
            reply.onError(refusal);
            return;
        }
        RecordedCluster.answer(
                reply,
                ChangeAccountsReply.newBuilder()
                        .addAffected(AffectedEntity.getDefaultInstance())
                        .build());
    }

    @Override
    public void listPriorities(
            ListPrioritiesRequest request, StreamObserver<ListPrioritiesReply> reply) {
        askedPriorities = request;
        RecordedCluster.answer(reply, priorities);
    }

    /// The account `bio` with alice in it.
    public static void bio(ListAccountsReply.Builder book) {
        book.addAccounts(account("bio", "lab"))
                .addAssociations(association(8, 1, "bio", ""))
                .addAssociations(association(9, 8, "bio", "alice"));
    }

    /// An account that nobody is in.
    public static AccountView named(String name) {
        return AccountView.newBuilder().setName(name).setDescription(name).build();
    }

    private static ListAccountsReply.Builder usual() {
        return ListAccountsReply.newBuilder()
                .setCluster("anchor0")
                .setRevision(7)
                .setNowMicros(RecordedJobs.micros("2026-11-15T18:49:51"))
                .addTres(tres(1, "cpu", ""))
                .addTres(tres(2, "mem", ""))
                .addTres(tres(3, "energy", ""))
                .addTres(tres(4, "node", ""))
                .addTres(tres(5, "billing", ""))
                .addTres(tres(6, "fs", "disk"))
                .addTres(tres(7, "vmem", ""))
                .addTres(tres(8, "pages", ""))
                .addTres(tres(1001, "gres", "gpu"))
                .addTres(tres(1002, "gres", "gpu:tesla"))
                .addAccounts(account("root", "root").setDescription("default root account"))
                .addAccounts(account("physics", "lab"))
                .addAccounts(account("chem", "lab"))
                .addUsers(user("root", "root", "Administrator"))
                .addUsers(user("sadmin", "physics", "Administrator"))
                .addUsers(user("alice", "physics", "None"))
                .addUsers(user("bob", "chem", "None"))
                .addAssociations(used(association(1, 0, "root", ""), 0, 92, 1, 0))
                .addAssociations(used(association(2, 1, "root", "root"), 1 / 3.0, 0, 0, 1))
                .addAssociations(used(association(3, 1, "physics", ""), 1 / 3.0, 92, 1, 0))
                .addAssociations(used(association(4, 1, "chem", ""), 1 / 3.0, 0, 0, 0))
                .addAssociations(
                        used(association(5, 3, "physics", "alice"), 0.5, 92, 1, 0.25)
                                .addQos("short"))
                .addAssociations(used(association(6, 4, "chem", "bob"), 1, 0, 0, 1))
                .addAssociations(
                        used(association(7, 3, "physics", "sadmin"), 0.5, 0, 0, 0.5)
                                .addQos("short"))
                .addQos(
                        QosView.newBuilder()
                                .setId(1)
                                .setName("normal")
                                .setUsageFactor(1)
                                .setPreemptMode("cluster"))
                .addQos(
                        QosView.newBuilder()
                                .setId(2)
                                .setName("short")
                                .setPriority(10)
                                .setUsageFactor(1)
                                .setPreemptMode("cluster")
                                .setLimits(
                                        QosLimits.newBuilder()
                                                .setMaxWallMinutes(30)
                                                .setMaxJobsPerUser(1)));
    }

    private static TresView tres(int id, String type, String name) {
        return TresView.newBuilder().setId(id).setType(type).setName(name).build();
    }

    private static AccountView.Builder account(String name, String organization) {
        return AccountView.newBuilder()
                .setName(name)
                .setDescription(name)
                .setOrganization(organization)
                .setParent(name.equals("root") ? "" : "root");
    }

    private static UserView user(String name, String account, String level) {
        return UserView.newBuilder()
                .setName(name)
                .setDefaultAccount(account)
                .setAdminLevel(level)
                .build();
    }

    public static AssociationView.Builder association(
            int id, int parent, String account, String user) {
        return AssociationView.newBuilder()
                .setId(id)
                .setParentId(parent)
                .setAccount(account)
                .setUser(user)
                .setParentAccount(user.isEmpty() && parent != 0 ? "root" : "")
                .setLimits(AssociationLimits.newBuilder().setShares(1))
                .addQos("normal");
    }

    private static AssociationView.Builder used(
            AssociationView.Builder one,
            double shares,
            double raw,
            double effective,
            double fairShare) {
        return one.setUsage(
                AssociationUsage.newBuilder()
                        .setNormShares(shares)
                        .setRaw(raw)
                        .setEffective(effective)
                        .setNormalized(effective)
                        .setFairShare(fairShare)
                        .setLevelFs(raw == 0 ? Double.POSITIVE_INFINITY : shares));
    }
}
