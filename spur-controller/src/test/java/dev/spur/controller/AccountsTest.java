package dev.spur.controller;

import static dev.spur.controller.AccountCalls.account;
import static dev.spur.controller.AccountCalls.change;
import static dev.spur.controller.AccountCalls.list;
import static dev.spur.controller.AccountCalls.modify;
import static dev.spur.controller.AccountCalls.qos;
import static dev.spur.controller.AccountCalls.set;
import static dev.spur.controller.AccountCalls.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsEntity;
import dev.spur.api.v1.AccountsGrpc.AccountsBlockingStub;
import dev.spur.api.v1.AddCoordinators;
import dev.spur.api.v1.ChangeAccountsRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountsTest {
    @TempDir Path directory;

    private InProcessController controller;
    private AccountsBlockingStub root;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        root = controller.accountsAs("root", 0);
        change(root, account("physics", "root", set("fairshare", "10")));
        change(root, account("lasers", "physics"), account("chem", "root"));
        change(root, user("alice", "lasers"), user("bob", "chem"));
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void administratorSeesTheWholeTreeParentsFirst() {
        var seen = list(root);

        assertThat(seen.getAssociationsList())
                .extracting(one -> one.getAccount() + "/" + one.getUser())
                .containsExactly(
                        "root/",
                        "root/root",
                        "chem/",
                        "chem/bob",
                        "physics/",
                        "lasers/",
                        "lasers/alice");
        assertThat(seen.getAccountsList())
                .extracting(one -> one.getName() + " of " + one.getParent())
                .contains("lasers of physics", "physics of root");
        assertThat(seen.getAssociations(4).getLimits().getShares()).isEqualTo(10);
        assertThat(seen.getTresList())
                .extracting(one -> one.getId() + one.getType())
                .contains("1cpu", "5billing");
    }

    @Test
    void userSeesHimselfAndWhatIsAboveHim() throws Exception {
        var seen = list(controller.accountsAs("alice", 1002));

        assertThat(seen.getAssociationsList())
                .extracting(one -> one.getAccount() + "/" + one.getUser())
                .containsExactly("root/", "physics/", "lasers/", "lasers/alice");
        assertThat(seen.getUsersList()).extracting(one -> one.getName()).containsExactly("alice");
        assertThat(seen.getQosList()).extracting(one -> one.getName()).contains("normal");
    }

    @Test
    void coordinatorSeesWhatIsBelowHisAccount() throws Exception {
        change(
                root,
                AccountsChange.newBuilder()
                        .setAddCoordinators(
                                AddCoordinators.newBuilder().addAccounts("physics").addUsers("bob"))
                        .build());

        var seen = list(controller.accountsAs("bob", 1003));

        assertThat(seen.getAssociationsList())
                .extracting(one -> one.getAccount() + "/" + one.getUser())
                .contains("lasers/alice", "chem/bob");
    }

    @Test
    void ordinaryUserIsDeniedInSlurmsWords() throws Exception {
        var alice = controller.accountsAs("alice", 1002);

        assertThatThrownBy(() -> change(alice, account("hack", "root")))
                .hasMessageContaining("Access/permission denied");
    }

    @Test
    void limitsAreReadAsSacctmgrTypesThem() {
        change(
                root,
                modify(
                        AccountsEntity.ACCOUNTS_ACCOUNT,
                        "physics",
                        set("grptres", "cpu=40,mem=2G"),
                        set("maxwall", "1-00:00:00"),
                        set("maxjobs", "3")),
                qos(
                        "short",
                        set("priority", "10"),
                        set("maxjobspu", "1"),
                        set("maxwall", "30"),
                        set("flags", "DenyOnLimit,NoReserve")));

        var physics = list(root).getAssociations(4).getLimits();
        var qos = list(root).getQos(1);
        assertThat(physics.getGrpTresMap()).containsEntry("cpu", 40L).containsEntry("mem", 2048L);
        assertThat(physics.getMaxWallMinutes()).isEqualTo(1440);
        assertThat(physics.getMaxJobs()).isEqualTo(3);
        assertThat(qos.getLimits().getMaxWallMinutes()).isEqualTo(30);
        assertThat(qos.getLimits().getMaxJobsPerUser()).isEqualTo(1);
        assertThat(qos.getFlagsList()).containsExactly("DenyOnLimit", "NoReserve");

        change(
                root,
                modify(
                        AccountsEntity.ACCOUNTS_ACCOUNT,
                        "physics",
                        set("grptres", "mem=-1"),
                        set("maxjobs", "-1")));

        var cleared = list(root).getAssociations(4).getLimits();
        assertThat(cleared.getGrpTresMap()).containsOnlyKeys("cpu");
        assertThat(cleared.hasMaxJobs()).isFalse();
    }

    @Test
    void mistakesAreNamedAndNothingIsChanged() {
        var revision = list(root).getRevision();

        assertThatThrownBy(() -> change(root, qos("x", set("maxwal", "1"))))
                .hasMessageContaining("unknown option: maxwal. Did you mean maxwall?");
        assertThatThrownBy(() -> change(root, qos("x", set("maxwall", "soon"))))
                .hasMessageContaining("Bad MaxWallDurationPerJob time format: soon");
        assertThatThrownBy(() -> change(root, qos("x", set("grpjobs", "many"))))
                .hasMessageContaining("Invalid value for GrpJobs (many)");
        assertThatThrownBy(() -> change(root, qos("x", set("grptres", "gres/warp=1"))))
                .hasMessageContaining("unknown TRES \"gres/warp\"");
        assertThatThrownBy(() -> change(root, qos("x", set("maxjobsaccruepu", "1"))))
                .hasMessageContaining("does not enforce");
        assertThatThrownBy(() -> change(root, qos("x", set("flags", "Fast"))))
                .hasMessageContaining("unknown QOS flag");
        assertThat(list(root).getRevision()).isEqualTo(revision);
    }

    @Test
    void nothingIsAddedTwice() {
        assertThat(change(root, account("chem", "root")).getAffectedList()).isEmpty();
    }

    @Test
    void requestThatIsRepeatedHasItsFirstAnswer() {
        var request =
                ChangeAccountsRequest.newBuilder()
                        .setRequestId("once")
                        .addChanges(account("bio", "root"))
                        .build();

        var first = root.changeAccounts(request);

        assertThat(first.getAffectedCount()).isPositive();
        assertThat(root.changeAccounts(request)).isEqualTo(first);
    }
}
