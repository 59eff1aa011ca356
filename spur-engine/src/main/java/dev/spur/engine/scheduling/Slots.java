package dev.spur.engine.scheduling;

/// The future cut into slots: fine ones soon, coarse ones later, so that few reach far. Times are
/// seconds from the pass's whole second.
final class Slots {
    private static final int HOUR = 3600;
    private static final int DAY = 24 * HOUR;

    /// Slots of one width, up to a time.
    private record Band(int from, int to, int width, int firstSlot) {
        Band then(int until, int width) {
            return new Band(to, until, width, endSlot());
        }

        int endSlot() {
            return firstSlot + (to - from) / width;
        }
    }

    private static final Band[] BANDS = bands();

    /// How many there are; the last one has no end.
    static final int COUNT = BANDS[BANDS.length - 1].endSlot();

    private Slots() {}

    private static Band[] bands() {
        var soon = new Band(0, 2 * DAY, 5 * 60, 0);
        var thisMonth = soon.then(30 * DAY, 6 * HOUR);
        var thisYear = thisMonth.then(366 * DAY, 7 * DAY);
        return new Band[] {soon, thisMonth, thisYear};
    }

    /// The slot that a time lies in.
    static int at(int time) {
        for (var band : BANDS) {
            if (time < band.to) {
                return band.firstSlot + (time - band.from) / band.width;
            }
        }
        return COUNT - 1;
    }

    static int begin(int slot) {
        for (var band : BANDS) {
            if (slot < band.endSlot()) {
                return band.from + (slot - band.firstSlot) * band.width;
            }
        }
        return NodeLine.FOREVER;
    }

    static int end(int slot) {
        return slot < COUNT - 1 ? begin(slot + 1) : NodeLine.FOREVER;
    }
}
