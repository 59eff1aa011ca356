package dev.spur.cli.top;

/// What is shown and how, and what a key makes of it.
///
/// @param selected the row that the cursor is on
/// @param question asked at the bottom, answered by the next key; empty: none
/// @param isTyping whether keys are letters of the filter
record Settings(
        View view,
        Sort sort,
        boolean isReversed,
        Show show,
        boolean isOwn,
        String filter,
        boolean isTyping,
        int selected,
        String question) {
    static final Settings FIRST =
            new Settings(View.JOBS, Sort.QUEUE, false, Show.ALL, false, "", false, 0, "");

    enum View {
        JOBS,
        NODES,
        HELP
    }

    enum Sort {
        QUEUE("queue"),
        ID("id"),
        USER("user"),
        TIME("time"),
        NODES("nodes"),
        START("start");

        private final String word;

        Sort(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        private Sort next() {
            return values()[(ordinal() + 1) % values().length];
        }
    }

    enum Show {
        ALL("all"),
        RUNNING("running"),
        WAITING("waiting");

        private final String word;

        Show(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        private Show next() {
            return values()[(ordinal() + 1) % values().length];
        }
    }

    /// What happens beside what is shown.
    enum Act {
        NOTHING,
        QUIT,
        CANCEL,
        EXPLAIN
    }

    /// @param key as one letter, or UP, DOWN, PAGE_UP, PAGE_DOWN, ENTER, ESCAPE, BACKSPACE
    Act act(String key) {
        if (!question.isEmpty()) {
            return key.equals("y") ? Act.CANCEL : Act.NOTHING;
        }
        if (isTyping) {
            return Act.NOTHING;
        }
        return switch (key) {
            case "q", "CTRL_C" -> view == View.HELP && key.equals("q") ? Act.NOTHING : Act.QUIT;
            case "w" -> view == View.JOBS ? Act.EXPLAIN : Act.NOTHING;
            default -> Act.NOTHING;
        };
    }

    /// @param page rows on the screen
    /// @param chosen the id of the job that the cursor is on; empty: on none
    Settings after(String key, int page, String chosen) {
        if (!question.isEmpty()) {
            return asking("");
        }
        return isTyping ? typing(key) : commanded(key, page, chosen);
    }

    private Settings typing(String key) {
        return switch (key) {
            case "ENTER" -> typed(filter, false);
            case "ESCAPE", "CTRL_C" -> typed("", false);
            case "BACKSPACE" ->
                    typed(filter.isEmpty() ? "" : filter.substring(0, filter.length() - 1), true);
            default -> key.length() == 1 && filter.length() < 40 ? typed(filter + key, true) : this;
        };
    }

    private Settings commanded(String key, int page, String chosen) {
        return switch (key) {
            case "UP", "k" -> at(selected - 1);
            case "DOWN", "j" -> at(selected + 1);
            case "PAGE_UP" -> at(selected - page);
            case "PAGE_DOWN", " " -> at(selected + page);
            case "g" -> at(0);
            case "G" -> at(Integer.MAX_VALUE / 2);
            case "s" -> sorted(sort.next(), isReversed);
            case "r" -> sorted(sort, !isReversed);
            case "t" -> showing(show.next());
            case "u" -> owned(!isOwn);
            case "n" -> viewing(view == View.NODES ? View.JOBS : View.NODES);
            case "?", "h" -> viewing(view == View.HELP ? View.JOBS : View.HELP);
            case "q", "ESCAPE" -> view == View.HELP ? viewing(View.JOBS) : typed("", false);
            case "/" -> typed("", true);
            case "c" ->
                    view == View.JOBS && !chosen.isEmpty()
                            ? asking("Cancel job " + chosen + "? (y/n)")
                            : this;
            default -> this;
        };
    }

    /// With the cursor on a row that there is.
    Settings within(int rows) {
        return at(Math.clamp(selected, 0, Math.max(0, rows - 1)));
    }

    private Settings at(int row) {
        return new Settings(
                view, sort, isReversed, show, isOwn, filter, isTyping, Math.max(0, row), question);
    }

    private Settings sorted(Sort by, boolean reversed) {
        return new Settings(view, by, reversed, show, isOwn, filter, isTyping, selected, question);
    }

    private Settings showing(Show what) {
        return new Settings(view, sort, isReversed, what, isOwn, filter, isTyping, 0, question);
    }

    private Settings owned(boolean own) {
        return new Settings(view, sort, isReversed, show, own, filter, isTyping, 0, question);
    }

    private Settings viewing(View other) {
        return new Settings(other, sort, isReversed, show, isOwn, filter, isTyping, 0, question);
    }

    private Settings typed(String text, boolean goesOn) {
        return new Settings(view, sort, isReversed, show, isOwn, text, goesOn, 0, question);
    }

    private Settings asking(String text) {
        return new Settings(view, sort, isReversed, show, isOwn, filter, isTyping, selected, text);
    }
}
