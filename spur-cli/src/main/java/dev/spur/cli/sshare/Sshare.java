package dev.spur.cli.sshare;

import dev.spur.api.view.ShareTable;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.OwnCluster;
import dev.spur.cli.format.RuledColumn;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.format.View;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.ArrayList;
import java.util.List;

/// `sshare`: the shares of the cluster and how they were used.
public final class Sshare implements Tool {
    private static final Option<List<String>> ACCOUNTS =
            Option.of("accounts", "ACCOUNTS", ListingOptions::split)
                    .letter('A')
                    .help("only these accounts");
    private static final Option<Boolean> ALL =
            Option.flag("all").letter('a').help("all users, as far as you may see them");
    private static final Option<List<String>> FORMAT =
            Option.of("format", "FIELDS", ListingOptions::split)
                    .letter('o')
                    .help("columns, as in account%30,user,fairshare");
    private static final Option<Boolean> HELP_FORMAT =
            Option.flag("helpformat").letter('e').help("list the fields for --format");
    private static final Option<Boolean> LONG =
            Option.flag("long").letter('l').help("more columns");
    private static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('n').alias("noheading").help("no heading");
    private static final Option<Boolean> PARSABLE =
            Option.flag("parsable")
                    .letter('p')
                    .replaces("parsable2")
                    .help("values with a | behind each");
    private static final Option<Boolean> PARSABLE2 =
            Option.flag("parsable2")
                    .letter('P')
                    .replaces("parsable")
                    .help("values with a | between them");
    private static final Option<Boolean> PARTITION =
            Option.flag("partition").letter('m').help("with the partitions of associations");
    private static final Option<List<String>> USERS =
            Option.of("users", "USERS", ListingOptions::split)
                    .letter('u')
                    .alias("uid")
                    .help("only these users");
    private static final Option<Boolean> USERS_ONLY =
            Option.flag("Users").letter('U').help("users only, without accounts");
    private static final Option<Boolean> VERBOSE =
            Option.flag("verbose").letter('v').help("say more");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ACCOUNTS,
                            ALL,
                            ListingOptions.CLUSTERS,
                            FORMAT,
                            HELP_FORMAT,
                            ListingOptions.JSON,
                            LONG,
                            NO_HEADER,
                            PARSABLE,
                            PARSABLE2,
                            PARTITION,
                            USERS,
                            USERS_ONLY,
                            VERBOSE,
                            ListingOptions.YAML)
                    .helpLetter();

    private final Connector connector;

    public Sshare(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        var book = AccountBook.ask(connector.connect(in), true);
        arguments
                .get(ListingOptions.CLUSTERS)
                .ifPresent(wanted -> OwnCluster.require(wanted, book.cluster()));
        if (arguments.has(HELP_FORMAT)) {
            var names = ShareColumns.of(book).stream().map(RuledColumn::name).toList();
            in.out().println(String.join(" ", names));
            return 0;
        }
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        var columns =
                RuledTable.choose(
                        ShareColumns.of(book),
                        format(arguments),
                        name -> new Failure("Invalid field requested: \"" + name + "\""));
        var users = users(in, arguments);
        var accounts = all(arguments, ACCOUNTS);
        var rows = new ArrayList<AccountBook.Placed>();
        for (var one : book.associations()) {
            var user = one.view().getUser();
            var isShown =
                    user.isEmpty()
                            ? !arguments.has(USERS_ONLY)
                            : users.isEmpty() || users.contains(user);
            if (isShown && (accounts.isEmpty() || accounts.contains(one.view().getAccount()))) {
                rows.add(one);
            }
        }
        var document = Document.of(in, arguments);
        if (document.isPresent()) {
            var shown = rows.stream().map(AccountBook.Placed::view).toList();
            document.get()
                    .one(
                            "shares",
                            ShareTable.SHARES,
                            new ShareTable.Shares(shown),
                            book.surroundings())
                    .end(book.cluster());
            return 0;
        }
        new RuledTable<>(columns, style(arguments))
                .print(in.out(), View.of(in, book.nowMicros(), true, book::cluster), rows);
        return 0;
    }

    /// The caller, unless others were asked for; none: all.
    private static List<String> users(Invocation in, Arguments arguments) {
        var users = all(arguments, USERS);
        if (arguments.has(ALL) || users.contains("")) {
            return List.of();
        }
        return users.isEmpty() ? List.of(in.caller().name()) : users;
    }

    private static List<String> all(Arguments arguments, Option<List<String>> option) {
        var all = new ArrayList<String>();
        arguments.all(option).forEach(all::addAll);
        return all;
    }

    private static String format(Arguments arguments) {
        var wanted = all(arguments, FORMAT);
        if (!wanted.isEmpty()) {
            return String.join(",", wanted);
        }
        return arguments.has(LONG)
                ? ShareColumns.LONG
                : arguments.has(PARTITION) ? ShareColumns.WITH_PARTITION : ShareColumns.USUAL;
    }

    private static RuledTable.Style style(Arguments arguments) {
        var form =
                arguments.has(PARSABLE)
                        ? RuledTable.Form.DELIMITER_BEHIND
                        : arguments.has(PARSABLE2)
                                ? RuledTable.Form.DELIMITER_BETWEEN
                                : RuledTable.Form.PADDED;
        return new RuledTable.Style(form, "|", !arguments.has(NO_HEADER));
    }
}
