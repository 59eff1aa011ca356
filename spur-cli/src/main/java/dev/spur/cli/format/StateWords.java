package dev.spur.cli.format;

import dev.spur.model.JobState;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Slurm's words for the state of a job, as listings print, sort and select by them.
public final class StateWords {
    /// Base states come first, then the flags shown in place of one, by the weight of their bits.
    private static final List<JobState> BY_RANK =
            List.of(
                    JobState.PENDING,
                    JobState.RUNNING,
                    JobState.SUSPENDED,
                    JobState.COMPLETED,
                    JobState.CANCELLED,
                    JobState.FAILED,
                    JobState.TIMEOUT,
                    JobState.NODE_FAIL,
                    JobState.PREEMPTED,
                    JobState.BOOT_FAIL,
                    JobState.DEADLINE,
                    JobState.OUT_OF_MEMORY,
                    JobState.REQUEUED,
                    JobState.REQUEUE_HOLD,
                    JobState.SPECIAL_EXIT,
                    JobState.RESIZING,
                    JobState.CONFIGURING,
                    JobState.COMPLETING,
                    JobState.STOPPED,
                    JobState.REVOKED,
                    JobState.REQUEUE_FED,
                    JobState.RESV_DEL_HOLD,
                    JobState.SIGNALING,
                    JobState.STAGE_OUT);

    private record Shown(String code, int rank) {}

    /// A listing looks up every row's word, so by one hash instead of a search.
    private static final Map<String, Shown> BY_WORD = new HashMap<>();

    static {
        for (var state : BY_RANK) {
            BY_WORD.put(state.name(), new Shown(state.compact(), BY_RANK.indexOf(state)));
        }
    }

    private static final Shown UNKNOWN = new Shown("?", BY_RANK.size());

    /// The order in which Slurm lists them to somebody who wrote none of them.
    private static final String LISTING =
            Arrays.stream(JobState.values())
                            .filter(JobState::isBase)
                            .map(JobState::name)
                            .collect(Collectors.joining(","))
                    + ",COMPLETING,CONFIGURING,RESIZING,RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,REVOKED"
                    + ",SIGNALING,SPECIAL_EXIT,STAGE_OUT,STOPPED";

    private StateWords() {}

    /// `PD` for `PENDING`.
    public static String code(String word) {
        return BY_WORD.getOrDefault(word, UNKNOWN).code();
    }

    public static int rank(String word) {
        return BY_WORD.getOrDefault(word, UNKNOWN).rank();
    }

    public static String listing() {
        return LISTING;
    }

    /// What a user wrote: the word, its first letters or its code, in any case.
    public static Optional<JobState> parse(String text) {
        var word = text.strip().toUpperCase(Locale.ROOT);
        var exact = JobState.parse(word);
        if (exact.isPresent() || word.length() < 3) {
            return exact;
        }
        return BY_RANK.stream().filter(state -> state.name().startsWith(word)).findFirst();
    }

    /// The words of a list such as `pd,R`; `ALL` if it asks for everything.
    ///
    /// @throws UnknownState for the first word that is none
    public static Set<String> parseList(String list) {
        var words = new LinkedHashSet<String>();
        for (var part : list.split(",", -1)) {
            if (part.isBlank()) {
                continue;
            }
            if (part.strip().equalsIgnoreCase("all")) {
                return Set.of("ALL");
            }
            words.add(parse(part).orElseThrow(() -> new UnknownState(part)).name());
        }
        return words;
    }

    public static final class UnknownState extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String word;

        UnknownState(String word) {
            super(word, null, false, false);
            this.word = word;
        }

        public String word() {
            return word;
        }
    }
}
