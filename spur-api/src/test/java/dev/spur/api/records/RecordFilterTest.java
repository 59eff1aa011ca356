package dev.spur.api.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import dev.spur.model.notation.NotationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RecordFilterTest {
    private static final long NOW = 1_000_000_000L;

    /// Eligible at 100, ran from 200 to 300.
    private static JobRecord.Builder job() {
        return JobRecord.newBuilder()
                .setJobId(12)
                .setUserName("alice")
                .setUid(1001)
                .setState("COMPLETED")
                .setSubmitMicros(100)
                .setEligibleMicros(100)
                .setStartMicros(200)
                .setEndMicros(300)
                .setNodeList("n[1-3]");
    }

    private static RecordQuery.Builder window(long from, long until) {
        return RecordQuery.newBuilder().setFromMicros(from).setUntilMicros(until);
    }

    private static boolean matches(RecordQuery.Builder query, JobRecord.Builder job) {
        return RecordFilter.of(query.build(), NOW).matches(job.build());
    }

    @Test
    void manyListsOfHostsNameNoMoreHostsThanOneMay() {
        var query = RecordQuery.newBuilder();
        for (var i = 0; i < 10_000; i++) {
            query.addNodes("n" + i + "-[1-100000]");
        }

        assertThatThrownBy(() -> RecordFilter.of(query.build(), NOW))
                .isInstanceOf(NotationException.class);
    }

    @Test
    @Timeout(30)
    void tenThousandIdsCostARecordNoMoreThanOne() {
        var query = RecordQuery.newBuilder();
        for (var i = 0; i < 10_000; i++) {
            query.addIds("%d_%d".formatted(1_000_000 + i, i));
        }
        var filter = RecordFilter.of(query.build(), NOW);
        var job = job().build();
        var found = false;

        for (var i = 0; i < 5_000_000; i++) {
            found |= filter.matches(job);
        }
        assertThat(found).isFalse();
    }

    @Test
    void aTimeThatNoCalendarHasIsRefused() {
        assertThatThrownBy(() -> RecordFilter.of(window(Long.MIN_VALUE, 0).build(), NOW))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RecordFilter.of(window(1, Long.MAX_VALUE).build(), NOW))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tasksThatWaitAreFoundByTheirNumbers() {
        var waiting = job().setArrayJobId(12).setArrayPending("0-3999998:2%7");

        assertThat(matches(RecordQuery.newBuilder().addIds("12_[5-7]"), waiting)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("12_[7]"), waiting)).isFalse();
    }

    @Test
    void aJobIsInAWindowIfItLivedInIt() {
        assertThat(matches(window(50, 99), job())).isFalse();
        assertThat(matches(window(50, 100), job())).isTrue();
        assertThat(matches(window(300, 400), job())).isTrue();
        assertThat(matches(window(301, 400), job())).isFalse();
        assertThat(matches(window(301, 400), job().setEndMicros(0))).isTrue();
    }

    @Test
    void aJobThatWasNeverEligibleIsFoundByItsIdOrItsEnd() {
        var held = job().setEligibleMicros(0).setStartMicros(0).setState("CANCELLED");

        assertThat(matches(window(50, 400), held)).isFalse();
        assertThat(matches(window(50, 400).addIds("12"), held)).isTrue();
        assertThat(matches(window(50, 400).addStates("CANCELLED"), held)).isTrue();
    }

    @Test
    void aJobThatRanInTheWindowWasRunningInIt() {
        assertThat(matches(window(210, 220).addStates("RUNNING"), job())).isTrue();
        assertThat(matches(window(110, 120).addStates("RUNNING"), job())).isFalse();
        assertThat(matches(window(110, 120).addStates("PENDING"), job())).isTrue();
        assertThat(matches(window(210, 220).addStates("PENDING"), job())).isFalse();
    }

    @Test
    void aJobCompletedInTheWindowInWhichItEnded() {
        assertThat(matches(window(210, 220).addStates("COMPLETED"), job())).isFalse();
        assertThat(matches(window(210, 300).addStates("COMPLETED"), job())).isTrue();
        assertThat(matches(window(210, 300).addStates("FAILED"), job())).isFalse();
    }

    @Test
    void withoutAWindowTheLastStateCounts() {
        assertThat(matches(RecordQuery.newBuilder().addStates("COMPLETED"), job())).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addStates("RUNNING"), job())).isFalse();
    }

    @Test
    void anArrayIsFoundByItsIdAndATaskByItsOwnAndBoth() {
        var task = job().setJobId(41).setArrayJobId(40).setArrayTaskId(3);

        assertThat(matches(RecordQuery.newBuilder().addIds("40"), task)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("41"), task)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("40_3"), task)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("40_[1-4]"), task)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("40_4"), task)).isFalse();
    }

    @Test
    void theWaitingTasksOfAnArrayAreFoundByOneOfThem() {
        var waiting = job().setJobId(40).setArrayJobId(40).setArrayPending("3-10%2");

        assertThat(matches(RecordQuery.newBuilder().addIds("40_4"), waiting)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("40_11"), waiting)).isFalse();
    }

    @Test
    void aComponentIsFoundByItsPlace() {
        var second = job().setJobId(15).setHetJobId(14).setHetOffset(1);

        assertThat(matches(RecordQuery.newBuilder().addIds("14+1"), second)).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addIds("14+0"), second)).isFalse();
        assertThat(matches(RecordQuery.newBuilder().addIds("14"), second)).isTrue();
    }

    @Test
    void usersAreMeantByNameOrNumberAndNodesByAnyOfThem() {
        assertThat(matches(RecordQuery.newBuilder().addUsers("1001"), job())).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addUsers("bob"), job())).isFalse();
        assertThat(matches(RecordQuery.newBuilder().addNodes("n[3-9]"), job())).isTrue();
        assertThat(matches(RecordQuery.newBuilder().addNodes("n9"), job())).isFalse();
    }

    @Test
    void aStepThatIsNamedIsMeantAlone() {
        var query = RecordQuery.newBuilder().setSteps(true).addIds("12.1").build();
        var filter = RecordFilter.of(query, NOW);

        assertThat(filter.matches(job().build(), StepRecord.newBuilder().setStepId(1).build()))
                .isTrue();
        assertThat(filter.matches(job().build(), StepRecord.newBuilder().setStepId(0).build()))
                .isFalse();
    }
}
