package dev.spur.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.state.EventLog.Since;
import dev.spur.model.JobId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLogTest {
    private static final int CAPACITY = 8;
    private static final EventNumber BEGIN = new EventNumber(40, 2);

    private final EventLog log = new EventLog(CAPACITY, BEGIN);

    @Test
    void eventsAreNumberedByEntryAndPlaceInIt() {
        assertThat(List.of(add(41).number(), add(41).number(), add(43).number()))
                .containsExactly(number(41, 1), number(41, 2), number(43, 1));
    }

    @Test
    void entryThatWasBegunGoesOnWithItsNextNumber() {
        assertThat(add(40).number()).isEqualTo(number(40, 3));
    }

    @Test
    void readerGetsWhatFollowsTheLastThatItSaw() {
        fill(41, 3);
        fill(42, 2);

        assertThat(read(number(41, 2)))
                .containsExactly(number(41, 3), number(42, 1), number(42, 2));
        assertThat(read(number(42, 2))).isEmpty();
    }

    @Test
    void readerMayStopBetweenTwoEntries() {
        fill(41, 1);
        fill(44, 1);

        assertThat(read(number(43, 7))).containsExactly(number(44, 1));
    }

    @Test
    void readerTakesNoMoreThanItAsksFor() {
        fill(41, 5);

        assertThat(log.since(BEGIN, 2))
                .isInstanceOfSatisfying(
                        Since.News.class, news -> assertThat(news.events()).hasSize(2));
    }

    @Test
    void whatIsNotPublishedIsNotRead() {
        fill(41, 1);
        add(42);

        assertThat(read(BEGIN)).containsExactly(number(41, 1));
    }

    @Test
    void readerFromBeforeTheBeginIsBehind() {
        assertThat(log.since(number(40, 1), 10)).isInstanceOf(Since.Behind.class);

        assertThat(read(BEGIN)).isEmpty();
    }

    @Test
    void readerWhoseEventsWereOverwrittenIsBehind() {
        fill(41, 1);
        fill(42, CAPACITY);

        assertThat(log.since(BEGIN, 10)).isInstanceOf(Since.Behind.class);
    }

    @Test
    void readerThatHasSeenAllIsNotBehindHoweverMuchWasWritten() {
        fill(41, 100 * CAPACITY);

        assertThat(read(log.last())).isEmpty();
        assertThat(read(number(41, 100 * CAPACITY - 1))).hasSize(1);
    }

    @Test
    void readerThatAnotherControllerToldMoreWaitsUntilThisOneIsThere() {
        fill(41, 1);
        assertThat(read(number(42, 1))).isEmpty();

        fill(42, 2);

        assertThat(read(number(42, 1))).containsExactly(number(42, 2));
    }

    /// One command may change more than the ring holds.
    @Test
    void entryThatFillsTheRingBeforeItIsPublishedMakesReadersWaitAndLookAgain() {
        fill(41, 1);
        for (var i = 0; i < 3 * CAPACITY; i++) {
            add(42);
        }
        assertThat(read(number(41, 1))).isEmpty();

        log.publish();

        assertThat(log.since(number(41, 1), 10)).isInstanceOf(Since.Behind.class);
    }

    private NumberedEvent add(long entry) {
        return log.add(entry, new Event.JobForgotten(new JobId(1)));
    }

    private void fill(long entry, int count) {
        for (var i = 0; i < count; i++) {
            add(entry);
        }
        log.publish();
    }

    private List<EventNumber> read(EventNumber seen) {
        var numbers = new ArrayList<EventNumber>();
        assertThat(log.since(seen, 1000))
                .isInstanceOfSatisfying(
                        Since.News.class,
                        news -> news.events().forEach(event -> numbers.add(event.number())));
        return numbers;
    }

    private static EventNumber number(long entry, int ordinal) {
        return new EventNumber(entry, ordinal);
    }
}
