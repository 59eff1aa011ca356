package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListRecordsRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What sacct shows before the accounting database has it.
@Timeout(60)
class RecordListingTest {
    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aJobIsListedTheMomentItsIdIsKnown() throws Exception {
        var id = submit("alice", 1002, "first");

        assertThat(list("alice", 1002, RecordQuery.newBuilder().addIds("" + id)))
                .singleElement()
                .satisfies(history -> {
                    assertThat(history.getJob().getName()).isEqualTo("first");
                    assertThat(history.getJob().getState()).isEqualTo("PENDING");
                    assertThat(history.getJob().getWorkDir()).isEqualTo("/home/alice");
                    assertThat(history.getCluster()).isEqualTo("test");
                });
    }

    @Test
    void onlyJobsThatTheQueryMeansAreListed() throws Exception {
        submit("alice", 1002, "hers");
        submit("bob", 1003, "his");

        assertThat(list("root", 0, RecordQuery.newBuilder().addUsers("bob")))
                .extracting(history -> history.getJob().getName())
                .containsExactly("his");
        assertThat(list("root", 0, RecordQuery.newBuilder().addStates("COMPLETED"))).isEmpty();
        assertThat(list("root", 0, RecordQuery.newBuilder().setUntilMicros(1))).isEmpty();
    }

    @Test
    void ofOtherPeoplesJobsWhatIsPrivateIsNotListed() throws Exception {
        submit("alice", 1002, "hers");

        assertThat(list("bob", 1003, RecordQuery.newBuilder()))
                .singleElement()
                .satisfies(history -> {
                    assertThat(history.getJob().getUserName()).isEqualTo("alice");
                    assertThat(history.getJob().getWorkDir()).isEmpty();
                    assertThat(history.getJob().getScriptSha256().isEmpty()).isTrue();
                });
    }

    private int submit(String user, int uid, String name) throws Exception {
        return controller
                .as(user, uid)
                .submitJob(
                        SubmitJobRequest.newBuilder()
                                .setRequestId(name)
                                .setSpec(
                                        JobSpec.newBuilder()
                                                .setName(name)
                                                .setKind(JobKind.JOB_KIND_BATCH)
                                                .setHold(true)
                                                .setWorkDir("/home/" + user)
                                                .addComponents(
                                                        ResourceRequest.getDefaultInstance()))
                                .setScript(
                                        com.google.protobuf.ByteString.copyFromUtf8("#!/bin/sh\n"))
                                .build())
                .getJobId();
    }

    private List<JobHistory> list(String user, int uid, RecordQuery.Builder query)
            throws Exception {
        var jobs = new ArrayList<JobHistory>();
        controller
                .accountsAs(user, uid)
                .listRecords(ListRecordsRequest.newBuilder().setQuery(query).build())
                .forEachRemaining(reply -> jobs.addAll(reply.getJobsList()));
        return jobs;
    }
}
