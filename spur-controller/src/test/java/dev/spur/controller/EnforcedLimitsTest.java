package dev.spur.controller;

import static dev.spur.controller.AccountCalls.account;
import static dev.spur.controller.AccountCalls.change;
import static dev.spur.controller.AccountCalls.list;
import static dev.spur.controller.AccountCalls.modify;
import static dev.spur.controller.AccountCalls.set;
import static dev.spur.controller.AccountCalls.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsEntity;
import dev.spur.api.v1.AccountsGrpc.AccountsBlockingStub;
import dev.spur.api.v1.AddCoordinators;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.GetConfigRequest;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListPrioritiesRequest;
import dev.spur.api.v1.ReleaseJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.runtime.config.ConfigFile;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A controller that enforces what accounting says, as its clients see it.
@Timeout(60)
class EnforcedLimitsTest {
    private static final String CONFIG =
            InProcessController.CONFIG
                    + """

                    [accounting]
                    enforce = ["limits", "qos"]

                    [scheduler]
                    priority_type = "multifactor"
                    priority_weight_fairshare = 10000
                    priority_weight_job_size = 1000
                    """;

    @TempDir Path directory;

    private InProcessController controller;
    private AccountsBlockingStub root;
    private ControllerBlockingStub alice;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory, () -> ConfigFile.parse(CONFIG));
        root = controller.accountsAs("root", 0);
        alice = controller.as("alice", 1002);
        change(root, account("physics", "root"), account("chem", "root"));
        change(root, user("alice", "physics"), user("bob", "chem"));
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    private static SubmitJobRequest job(String account, String qos) {
        return SubmitJobRequest.newBuilder()
                .setSpec(
                        JobSpec.newBuilder()
                                .setName("job")
                                .setKind(JobKind.JOB_KIND_BATCH)
                                .setAccount(account)
                                .setQos(qos)
                                .setHold(true)
                                .addComponents(ResourceRequest.getDefaultInstance()))
                .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                .build();
    }

    private int submit() {
        return alice.submitJob(job("", "")).getJobId();
    }

    @Test
    void jobShowsTheAccountAndTheQosThatItWasGiven() {
        submit();

        var shown = alice.listJobs(ListJobsRequest.getDefaultInstance()).next().getJobs(0);

        assertThat(shown.getAccount()).isEqualTo("physics");
        assertThat(shown.getQos()).isEqualTo("normal");
    }

    @Test
    void whatNobodyAllowedIsRefused() throws Exception {
        var eve = controller.as("eve", 1009);

        assertThatThrownBy(() -> eve.submitJob(job("", "")))
                .hasMessageContaining("user 'eve' has no account associations");
        assertThatThrownBy(() -> alice.submitJob(job("chem", "")))
                .hasMessageContaining("user 'alice' is not associated with account 'chem'");
        assertThatThrownBy(() -> alice.submitJob(job("", "nosuch")))
                .hasMessageContaining("QOS 'nosuch' does not exist");
    }

    @Test
    void limitThatWasLoweredCountsForTheNextSubmission() {
        submit();
        change(root, modify(AccountsEntity.ACCOUNTS_USER, "alice", set("maxsubmitjobs", "1")));

        assertThatThrownBy(this::submit).hasMessageContaining("AssocMaxSubmitJobLimit");
    }

    @Test
    void whatIsInUseIsListedWithTheTree() {
        submit();

        var usage =
                list(root).getAssociationsList().stream()
                        .filter(one -> one.getAccount().equals("physics"))
                        .toList();

        assertThat(usage).hasSize(2);
        assertThat(usage).allSatisfy(one -> assertThat(one.getUsage().getSubmitted()).isOne());
        assertThat(list(root).getEnforcedList()).containsExactly("associations", "limits", "qos");
        assertThat(list(root).getWeightsMap()).containsEntry("FairShare", 10_000L);
    }

    @Test
    void prioritiesAreListedWithTheirFactors() {
        var id = submit();
        alice.releaseJobs(ReleaseJobsRequest.newBuilder().addIds(Integer.toString(id)).build());

        var row = root.listPriorities(ListPrioritiesRequest.getDefaultInstance()).getJobs(0);

        assertThat(row.getJobId()).isEqualTo(id);
        assertThat(row.getFairShare()).isEqualTo(1);
        assertThat(row.getWeightedFairShare()).isEqualTo(10_000);
        assertThat(row.getPriority()).isEqualTo(10_000 + row.getWeightedJobSize());
        assertThat(row.getWeightedJobSize()).isPositive();
    }

    @Test
    void coordinatorHoldsTheJobsOfHisAccount() throws Exception {
        var id = submit();
        var hold = HoldJobsRequest.newBuilder().addIds(Integer.toString(id)).build();
        var bob = controller.as("bob", 1003);
        assertThat(bob.holdJobs(hold).getResults(0).getOutcome())
                .isEqualTo(JobActionOutcome.JOB_ACTION_DENIED);

        change(
                root,
                AccountsChange.newBuilder()
                        .setAddCoordinators(
                                AddCoordinators.newBuilder().addAccounts("physics").addUsers("bob"))
                        .build());

        assertThat(bob.holdJobs(hold).getResults(0).getOutcome())
                .isEqualTo(JobActionOutcome.JOB_ACTION_DONE);
    }

    @Test
    void configurationIsToldUnderSlurmsNames() {
        var values = alice.getConfig(GetConfigRequest.getDefaultInstance()).getValuesMap();

        assertThat(values)
                .containsEntry("AccountingStorageEnforce", "associations,limits,qos")
                .containsEntry("PriorityType", "priority/multifactor")
                .containsEntry("PriorityWeightFairShare", "10000");
    }
}
