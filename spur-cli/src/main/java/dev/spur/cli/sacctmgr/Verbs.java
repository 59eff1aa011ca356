package dev.spur.cli.sacctmgr;

import dev.spur.cli.format.RuledTable;
import dev.spur.cli.options.SlurmVersion;
import java.util.List;
import java.util.Locale;

/// The first words of sacctmgr's commands.
final class Verbs {
    static final String SUMMARY =
            """
            Commands:
              show account|association|user|qos|tres|cluster|coordinator|wckey [CONDITION...] [format=FIELDS]
              show event|transaction|runawayjobs|stats|configuration|problem
              add account NAME... [parent=ACCOUNT] [description=TEXT] [organization=TEXT] [LIMIT=VALUE...]
              add user NAME... account=ACCOUNTS [partition=NAMES] [defaultaccount=ACCOUNT] [adminlevel=LEVEL] [LIMIT=VALUE...]
              add qos NAME... [priority=NUMBER] [flags=FLAGS] [LIMIT=VALUE...]
              add coordinator USER... account=ACCOUNTS, add wckey NAME... user=USERS
              modify account|user|qos|cluster where CONDITION... set KEY=VALUE...
              delete account|user|qos|coordinator|wckey where CONDITION...
              dump CLUSTER [file=FILE], load file=FILE [clean]
              archive dump directory=DIRECTORY purgejobafter=TIME..., archive load file=FILE
            Without a command they are read from standard input, until quit.\
            """;

    private Verbs() {}

    /// What a verb does with the words behind it. Returns the exit code.
    @FunctionalInterface
    private interface Verb {
        int run(Session session, List<String> words) throws Exception;
    }

    private record Named(String name, int shortest, boolean changes, Verb verb) {
        boolean isWrittenAs(String text) {
            return text.length() >= shortest && name.startsWith(text);
        }
    }

    private static final List<Named> VERBS =
            List.of(
                    changing("add", 1, Add::run),
                    changing("archive", 3, Archive::run),
                    reading(
                            "associations",
                            3,
                            (session, words) -> Show.run(session, Entity.ASSOCIATION, words)),
                    changing("create", 2, Add::run),
                    changing("delete", 3, Delete::run),
                    reading("dump", 2, Dump::run),
                    reading("exit", 1, Verbs::end),
                    reading("help", 1, (session, _) -> say(session, SUMMARY)),
                    reading("list", 2, Show::run),
                    changing("load", 2, Load::run),
                    changing("modify", 1, Modify::run),
                    reading(
                            "parsable",
                            4,
                            (session, _) -> look(session, RuledTable.Form.DELIMITER_BEHIND)),
                    reading("problems", 2, Verbs::problems),
                    reading("quiet", 4, (_, _) -> 0),
                    reading("quit", 4, Verbs::end),
                    reading("readonly", 4, Verbs::readOnly),
                    changing("remove", 3, Delete::run),
                    reading("show", 2, Show::run),
                    changing("update", 1, Modify::run),
                    reading("verbose", 4, (_, _) -> 0),
                    reading("version", 4, (session, _) -> say(session, SlurmVersion.LINE)));

    /// Verbs of Slurm's that have nothing to do here.
    private static final List<String> LATER =
            List.of("clear", "ping", "reconfigure", "rollup", "shutdown");

    private static Named reading(String name, int shortest, Verb verb) {
        return new Named(name, shortest, false, verb);
    }

    private static Named changing(String name, int shortest, Verb verb) {
        return new Named(name, shortest, true, verb);
    }

    static int run(Session session, List<String> words) throws Exception {
        var first = words.getFirst();
        var lower = first.toLowerCase(Locale.ROOT);
        for (var one : VERBS) {
            if (one.isWrittenAs(lower)) {
                if (session.document().isPresent()
                        && !List.of("show", "list", "associations").contains(one.name())) {
                    return session.fail("sacctmgr: error: --json and --yaml are for show and list");
                }
                return one.changes() && session.isReadOnly()
                        ? session.fail("Can't run this command in readonly mode.")
                        : one.verb().run(session, words.subList(1, words.size()));
            }
        }
        if (LATER.stream().anyMatch(later -> lower.length() > 2 && later.startsWith(lower))) {
            return session.fail("sacctmgr: error: '%s' is not supported yet".formatted(first));
        }
        return session.fail("invalid keyword: " + first);
    }

    private static int problems(Session session, List<String> words) throws Exception {
        return Show.run(session, Entity.PROBLEM, words);
    }

    private static int say(Session session, String text) {
        session.out().println(text);
        return 0;
    }

    private static int look(Session session, RuledTable.Form form) {
        session.look(form);
        return 0;
    }

    private static int readOnly(Session session, List<String> words) {
        session.readOnly();
        return 0;
    }

    private static int end(Session session, List<String> words) {
        session.end();
        return 0;
    }
}
