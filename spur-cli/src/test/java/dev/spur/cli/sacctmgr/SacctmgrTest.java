package dev.spur.cli.sacctmgr;

import static dev.spur.cli.testing.RecordedAccounts.association;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.bounds.RequestBounds;
import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsEntity;
import dev.spur.api.v1.ArchiveReply;
import dev.spur.api.v1.ArchiveRequest;
import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.ControllerPeer;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.Setting;
import dev.spur.cli.Command;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.testing.RecordedAccounts;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.Recording;
import dev.spur.model.ErrorCode;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SacctmgrTest {
    private final RecordedAccounts accounts = new RecordedAccounts();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sacctmgr_add_account",
                "sacctmgr_show_account",
                "sacctmgr_show_assoc",
                "sacctmgr_show_assoc_fmt",
                "sacctmgr_show_cluster",
                "sacctmgr_show_qos",
                "sacctmgr_show_qos_fmt",
                "sacctmgr_show_tres",
                "sacctmgr_show_user",
                "sacctmgr_show_user_s"
            })
    void printsWhatSlurmPrinted(String name) throws IOException {
        assertThat(replay(name)).isEqualTo(recorded(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sacctmgr_add_dup", "sacctmgr_modify"})
    void printsWhatSlurmPrintedOfAnAccountThatIsThere(String name) throws IOException {
        accounts.also(RecordedAccounts::bio);

        assertThat(replay(name)).isEqualTo(recorded(name));
    }

    @Test
    void userWhoIsKnownGetsAnotherAccount() throws IOException {
        accounts.also(book -> book.addAccounts(RecordedAccounts.named("bio")));

        assertThat(replay("sacctmgr_add_user")).isEqualTo(recorded("sacctmgr_add_user"));
        var add = changes().getFirst().getAddUsers();
        assertThat(add.getNamesList()).containsExactly("alice");
        assertThat(add.getAccountsList()).containsExactly("bio");
    }

    @Test
    void whatIsDeletedIsTold() throws IOException {
        accounts.also(RecordedAccounts::bio);

        assertThat(
                        output("-i", "delete", "user", "alice", "account=bio")
                                        .replace("[exit 0]", "")
                                + output("-i", "delete", "account", "bio"))
                .isEqualTo(recorded("sacctmgr_delete"));
        assertThat(changes().getFirst().getDelete().getWhere().getAssociationIdsList())
                .containsExactly(9);
    }

    @Test
    void whoHasNoRightIsToldWhatHeWanted() throws IOException {
        accounts.refusing(ErrorCode.ACCESS_DENIED);

        assertThat(replay("sacctmgr_denied")).isEqualTo(recorded("sacctmgr_denied"));
    }

    @Test
    void settingsAreSentByTheirWholeNames() throws IOException {
        output(
                "-i",
                "modify",
                "user",
                "where",
                "Name=alice",
                "Acc=physics",
                "set",
                "MaxJ=3",
                "GrpTRES=cpu=4,gres/gpu=2",
                "QOS+=short",
                "fairs=parent");

        var modify = changes().getFirst().getModify();
        assertThat(modify.getEntity()).isEqualTo(AccountsEntity.ACCOUNTS_USER);
        assertThat(modify.getWhere().getNamesList()).containsExactly("alice");
        assertThat(modify.getWhere().getAccountsList()).containsExactly("physics");
        assertThat(modify.getSetList())
                .containsExactly(
                        setting("maxjobs", "=", "3"),
                        setting("grptres", "=", "cpu=4,gres/gpu=2"),
                        setting("qos", "+=", "short"),
                        setting("fairshare", "=", "parent"));
        assertThat(accounts.asked().getFirst().getExpectedRevision()).isEqualTo(7);
    }

    @Test
    void whoDoesNotAnswerChangesNothing() throws IOException {
        try (var nobody = new PipedInputStream();
                var cluster = new Accounted()) {
            nobody.connect(new PipedOutputStream());
            var in = cluster.call("sacctmgr", "modify", "account", "chem", "set", "maxjobs=3");
            var exit =
                    Command.run(new Sacctmgr(cluster.connector(), Duration.ZERO), in.input(nobody));

            assertThat(in.printed())
                    .endsWith(
                            """
                            Would you like to commit changes? (You have 0 seconds to decide)
                            (N/y): timeout
                             Changes Discarded
                            """);
            assertThat(exit).isZero();
            assertThat(accounts.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"y, 1", "Y, 1", "n, 0", "'', 0", "xy, 1"})
    void anAnswerDecides(String typed, int requests) throws IOException {
        var said = typing(typed + "\n", "modify", "account", "chem", "set", "maxjobs=3");

        assertThat(said)
                .startsWith(
                        " Modified account associations...\n  C = anchor0    A = chem of root\n")
                .contains(
                        "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ");
        assertThat(said.contains("Changes Discarded")).isEqualTo(requests == 0);
        assertThat(accounts.asked()).hasSize(requests);
    }

    @Test
    void changeThatSomebodyElsesOvertookIsLookedUpAgain() throws IOException {
        accounts.refusing(ErrorCode.CHANGED_MEANWHILE);

        assertThat(output("-i", "modify", "account", "chem", "set", "maxjobs=3"))
                .isEqualTo(
                        """
                         Modified account associations...
                          C = anchor0    A = chem of root
                          C = anchor0    A = chem                 U = bob     \s
                        [exit 0]\
                        """);
        assertThat(accounts.asked()).hasSize(2);
    }

    @Test
    void changeThatWasAgreedToIsNotMadeOfSomethingElse() throws IOException {
        accounts.refusing(ErrorCode.CHANGED_MEANWHILE);

        assertThat(typing("y\n", "modify", "account", "chem", "set", "maxjobs=3"))
                .contains(" Error with request: Can only change one at a time\n")
                .endsWith("[exit 1]");
        assertThat(accounts.asked()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "modify account nowhere set maxjobs=3,      ' Nothing modified'",
        "modify account chem where cluster=moon set maxjobs=3, ' Nothing modified'",
        "delete account nowhere,                    ' Nothing deleted'",
        "delete user bob account=physics,           ' Nothing deleted'",
        "add qos normal,                            ' Nothing new added.'",
        "add user alice account=physics,            ' Nothing new added.'",
    })
    void whereThereIsNothingToDoItSaysSoAndFails(String command, String said) throws IOException {
        assertThat(output(("-i " + command).split(" "))).isEqualTo(said + "\n[exit 1]");
        assertThat(accounts.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "frobnicate,                            'invalid keyword: frobnicate'",
        "show account format=nothing,           'Unknown field ''nothing'''",
        "show users color=red,                  ' Unknown condition: color'",
        "modify account chem set color=red,     ' Unknown option: color=red'",
        "modify account chem,                   ' You didn''t give me anything to set'",
        "delete account,                        ' No conditions given to remove, not executing.'",
        "add user carol account=nowhere,        ' This account ''nowhere'' doesn''t exist.'",
        "-r add account bio,                    'Can''t run this command in readonly mode.'",
    })
    void whatIsWrongIsToldOnStandardError(String command, String said) throws IOException {
        try (var cluster = new Accounted()) {
            var in = cluster.call("sacctmgr", command.split(" "));

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in)).isEqualTo(1);
            assertThat(in.complained()).startsWith(said + "\n");
            assertThat(accounts.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'show assoc user= format=account',             'root chem physics'",
        "'show assoc where account=physics format=user', '  alice sadmin'",
        "'list assoc User=bob Format=Account',          chem",
        "'show assoc tree user= format=account',        'root  chem  physics'",
        "'show user bob format=defaultaccount',         chem",
        "'show user adminlevel=admin format=user',      'root sadmin'",
        "'show account organization=lab format=acc',    'chem physics'",
        "'show qos short format=maxwall',               00:30:00",
    })
    void conditionsChoose(String command, String shown) throws IOException {
        assertThat(output(("-nP " + command).split(" ")).replace("[exit 0]", "").strip())
                .isEqualToIgnoringWhitespace(shown);
    }

    @Test
    void limitsAreThoseInForceUnlessTheOwnAreAskedFor() throws IOException {
        accounts.also(book ->
                book.getAssociationsBuilder(3)
                        .setLimits(
                                AssociationLimits.newBuilder()
                                        .setMaxJobs(5)
                                        .setGrpJobs(9)
                                        .setMaxWallMinutes(90)
                                        .putMaxTresPerJob("mem", 2048)
                                        .putMaxTresPerJob("cpu", 4)));

        assertThat(
                        output(
                                "-nP",
                                "show",
                                "assoc",
                                "user=bob",
                                "format=maxjobs,grpjobs,maxwall,maxtres"))
                .isEqualTo("5||01:30:00|cpu=4,mem=2G\n[exit 0]");
        assertThat(
                        output(
                                "-nP",
                                "show",
                                "assoc",
                                "user=bob",
                                "woplimits",
                                "format=maxjobs,grpjobs,maxwall,maxtres"))
                .isEqualTo("|||\n[exit 0]");
    }

    @Test
    void newUsersAreAskedForAloneIfNobodyKnowsThem() throws IOException {
        assertThat(typing("ny\n", "add", "user", "carol,alice", "account=chem", "maxjobs=2"))
                .isEqualTo(
                        """
                         There is no uid for user 'carol'
                         Are you sure you want to continue? (You have 30 seconds to decide)
                        (N/y):  Associations =
                          U = alice     A = chem       C = anchor0  \s
                         Non Default Settings
                          MaxJobs       = 2
                        Would you like to commit changes? (You have 30 seconds to decide)
                        (N/y): [exit 0]\
                        """);
        assertThat(changes().getFirst().getAddUsers().getNamesList()).containsExactly("alice");
    }

    @Test
    void dumpIsReadBackAsWhatItWas() throws IOException {
        accounts.also(RecordedAccounts::bio);
        accounts.also(SacctmgrTest::limited);
        try (var cluster = new Accounted()) {
            var in = cluster.call("sacctmgr", "dump", "anchor0", "file=all.cfg");

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in)).isZero();
            assertThat(in.written("all.cfg"))
                    .endsWith(
                            """
                            Cluster - 'anchor0':Fairshare=1
                            Parent - 'root'
                            User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
                            Account - 'bio':Description='bio':Organization='lab':Fairshare=1
                            Account - 'chem':Description='chem':Organization='lab':Fairshare=1
                            Account - 'deep':Description='deep':Organization='':Fairshare=3:GrpTRES='cpu=4,gres/gpu:tesla=2'
                            Account - 'physics':Description='physics':Organization='lab':Fairshare=1
                            Parent - 'bio'
                            User - 'alice':DefaultAccount='physics':Fairshare=1
                            Parent - 'chem'
                            User - 'bob':DefaultAccount='chem':Fairshare=1
                            Parent - 'physics'
                            User - 'alice':DefaultAccount='physics':Fairshare=1
                            User - 'sadmin':DefaultAccount='physics':AdminLevel='Administrator':Fairshare=1
                            """);

            var load =
                    cluster.call("sacctmgr", "-i", "load", "clean", "file=all.cfg")
                            .file("all.cfg", in.written("all.cfg"));
            assertThat(Command.run(new Sacctmgr(cluster.connector()), load))
                    .as(load.complained())
                    .isZero();
        }
        assertThat(changes().getFirst().getDelete().getWhere().getNamesList())
                .containsExactly("bio", "chem", "deep", "physics");
        assertThat(changes().stream().filter(AccountsChange::hasAddAccounts))
                .extracting(change -> change.getAddAccounts().getNames(0))
                .containsExactly("bio", "chem", "deep", "physics");
        assertThat(changes().stream().filter(AccountsChange::hasAddAccounts))
                .filteredOn(change -> change.getAddAccounts().getNames(0).equals("deep"))
                .flatExtracting(change -> change.getAddAccounts().getSettingsList())
                .contains(setting("grptres", "=", "cpu=4,gres/gpu:tesla=2"));
    }

    @Test
    void dumpOfSlurmsIsLoaded() throws IOException {
        var text =
                """
                # Cluster - 'cluster_name':MaxNodesPerJob=50
                Cluster - 'old':Fairshare=1:QOS='normal'
                Parent - 'root'
                User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
                Account - 'cs':Description='Computer: Science':Organization='LC':Fairshare=399:MaxTRESPerJob=cpu=20:MaxWallDurationPerJob=40
                Parent - 'cs'
                User - 'Lipari':DefaultAccount='cs':Coordinator='cs':Fairshare=1:QOS='+normal,+short'
                """;
        try (var cluster = new Accounted()) {
            var in = cluster.call("sacctmgr", "-i", "load", "file=old.cfg").file("old.cfg", text);

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in))
                    .as(in.complained())
                    .isZero();
        }
        assertThat(changes().get(2).getAddAccounts().getSettingsList())
                .containsExactly(
                        setting("description", "=", "Computer: Science"),
                        setting("organization", "=", "LC"),
                        setting("fairshare", "=", "399"),
                        setting("maxtres", "=", "cpu=20"),
                        setting("maxwall", "=", "40"));
        var user = changes().get(3).getAddUsers();
        assertThat(user.getNamesList()).containsExactly("lipari");
        assertThat(user.getSettingsList())
                .containsExactly(
                        setting("fairshare", "=", "1"), setting("qos", "+=", "normal,short"));
        assertThat(changes().get(4).getModify().getSetList())
                .containsExactly(setting("defaultaccount", "=", "cs"));
        assertThat(changes().get(5).getAddCoordinators().getUsersList()).containsExactly("lipari");
    }

    @Test
    void fileThatIsNoDumpChangesNothing() throws IOException {
        try (var cluster = new Accounted()) {
            var in =
                    cluster.call("sacctmgr", "-i", "load", "file=old.cfg")
                            .file("old.cfg", "Parent - 'nowhere'\n");

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in)).isEqualTo(1);
            assertThat(in.complained())
                    .startsWith(" line 1: You need to add the parent (nowhere) first");
            assertThat(accounts.asked()).isEmpty();
        }
    }

    @Test
    void whatThereCannotBeIsAnEmptyTable() throws IOException {
        assertThat(output("show", "federation"))
                .isEqualTo(
                        "Federation    Cluster ID             Features     FedState \n"
                                + "---------- ---------- -- -------------------- ------------ \n[exit 0]");
        assertThat(output("show", "resource"))
                .isEqualTo(
                        "      Name     Server     Type  Count % Allocated ServerType \n"
                                + "---------- ---------- -------- ------ ----------- ---------- \n[exit 0]");
    }

    @Test
    void treeIsSeenInTheColumnOfAccounts() throws IOException {
        accounts.also(RecordedAccounts::bio);

        assertThat(
                        output("-n", "show", "assoc", "tree", "wolimits")
                                .lines()
                                .map(SacctmgrTest::left))
                .startsWith("anchor0 root", "anchor0  root");
    }

    /// Of a line, the cluster and the account with what is before it.
    private static String left(String line) {
        return line.strip().substring(0, Math.min(line.strip().length(), 28)).stripTrailing();
    }

    @Test
    void largeDumpIsLoadedInRequestsThatAreTaken() throws IOException {
        var text = new StringBuilder("Cluster - 'old'\nParent - 'root'\n");
        for (var i = 0; i < 2_500; i++) {
            text.append("Account - 'a").append(i).append("'\n");
        }
        try (var cluster = new Accounted()) {
            var in =
                    cluster.call("sacctmgr", "-i", "load", "file=old.cfg")
                            .file("old.cfg", text.toString());

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in))
                    .as(in.complained())
                    .isZero();
        }
        assertThat(accounts.asked())
                .extracting(ChangeAccountsRequest::getChangesCount)
                .containsExactly(1_000, 1_000, 500);
        accounts.asked().forEach(RequestBounds::require);
    }

    @Test
    void dumpDoesNotCommandTheTerminal() throws IOException {
        try (var cluster = new Accounted()) {
            var in =
                    cluster.call("sacctmgr", "-i", "load", "file=old.cfg")
                            .file("old.cfg", "Parent - 'root'\nAcc\u001b[2Jount - 'a'\n");

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in)).isEqualTo(1);
            assertThat(in.complained())
                    .startsWith(" line 2: there is a control character (U+001B) at position 4")
                    .doesNotContain("\u001b");
            assertThat(accounts.asked()).isEmpty();
        }
    }

    @Test
    void eachKindIsArchivedByItsOwnAge() throws IOException {
        var asked = new ArrayList<ArchiveRequest>();
        var history =
                new HistoryGrpc.HistoryImplBase() {
                    @Override
                    public void archive(
                            ArchiveRequest request, StreamObserver<ArchiveReply> reply) {
                        asked.add(request);
                        reply.onNext(ArchiveReply.newBuilder().setRows(5).addFiles("/a/f").build());
                        reply.onCompleted();
                    }
                };
        try (var cluster = new Accounted(history)) {
            var in =
                    cluster.call(
                            "sacctmgr",
                            "-i",
                            "archive",
                            "dump",
                            "jobs",
                            "directory=/a",
                            "purgejobafter=24months",
                            "purgeeventafter=1month",
                            "purgestepafter=24month");
            var load = cluster.call("sacctmgr", "archive", "load", "file=/a/x/../f");

            assertThat(Command.run(new Sacctmgr(cluster.connector()), in))
                    .as(in.complained())
                    .isZero();
            assertThat(Command.run(new Sacctmgr(cluster.connector()), load)).isZero();
            assertThat(in.printed()).isEqualTo(" Archived 10 rows\n  /a/f\n  /a/f\n");
            assertThat(load.printed()).isEqualTo(" Loaded 5 jobs\n");
        }
        assertThat(asked.get(0).getKindsList()).containsExactly("job", "step");
        assertThat(asked.get(1).getKindsList()).containsExactly("event");
        assertThat(asked.get(1).getBeforeMicros() - asked.get(0).getBeforeMicros())
                .isEqualTo(Duration.ofDays(23 * 30).toSeconds() * 1_000_000);
        assertThat(asked.get(2).getLoad()).isEqualTo("/a/f");
    }

    @Test
    void conversationGoesOnAfterAMistake() throws IOException {
        assertThat(
                        typing(
                                "show user format=color\n\nshow user bob format=user\n!!\nquit\nshow tres\n",
                                "-nP"))
                .isEqualTo("Unknown field 'color'\nbob\nbob\n[exit 0]");
    }

    private static void limited(ListAccountsReply.Builder book) {
        book.addAccounts(RecordedAccounts.named("deep"))
                .addAssociations(
                        association(20, 1, "deep", "")
                                .setLimits(
                                        AssociationLimits.newBuilder()
                                                .setShares(3)
                                                .putGrpTres("gres/gpu:tesla", 2)
                                                .putGrpTres("cpu", 4)));
    }

    private static Setting setting(String key, String operator, String value) {
        return Setting.newBuilder().setKey(key).setOperator(operator).setValue(value).build();
    }

    private List<AccountsChange> changes() {
        return accounts.asked().getFirst().getChangesList();
    }

    private static String recorded(String name) {
        var recording = Recording.of(name);
        return recording.output() + "[exit " + recording.exitCode() + "]";
    }

    private String replay(String name) throws IOException {
        try (var cluster = new Accounted()) {
            return cluster.run(Sacctmgr::new, cluster.call(Recording.of(name)));
        }
    }

    private String output(String... arguments) throws IOException {
        return typing("", arguments);
    }

    private String typing(String typed, String... arguments) throws IOException {
        try (var cluster = new Accounted()) {
            RememberingInvocation in = cluster.call("sacctmgr", arguments).input(typed);
            return cluster.run(Sacctmgr::new, in);
        }
    }

    /// The recorded cluster, with its accounts.
    private final class Accounted extends RecordedCluster {
        Accounted() throws IOException {
            super(RECORDED, List.of(accounts));
        }

        Accounted(HistoryGrpc.HistoryImplBase history) throws IOException {
            super(RECORDED, List.of(accounts, history));
        }

        @Override
        public void ping(PingRequest request, StreamObserver<PingReply> reply) {
            answer(
                    reply,
                    PingReply.newBuilder()
                            .setAccountingAddress(address())
                            .addControllers(
                                    ControllerPeer.newBuilder()
                                            .setAddress("127.0.0.1:17000")
                                            .setLeader(true))
                            .build());
        }
    }
}
