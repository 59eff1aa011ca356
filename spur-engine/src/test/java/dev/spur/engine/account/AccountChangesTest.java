package dev.spur.engine.account;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.fixture.NodeFixture;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AccountChangesTest {
    private static final Actor OPERATOR =
            new Actor(1010, "oscar", "ctl", Role.OPERATOR, Actor.Origin.DOOR);

    private final Heart cluster = Heart.with(1, NodeFixture.node());

    private Result change(Actor actor, AccountsChange... changes) {
        return cluster.apply(
                new Command.ChangeAccounts(cluster.now(), "", actor, List.of(changes), 0));
    }

    private Accounts accounts() {
        return cluster.snapshot().accounts();
    }

    private User known(String user) {
        return Objects.requireNonNull(accounts().users().get(user));
    }

    private static AccountsChange.AddAccounts account(String name, String parent) {
        return new AccountsChange.AddAccounts(List.of(name), parent, List.of());
    }

    private static AccountsChange.AddUsers user(String name, String... accounts) {
        return new AccountsChange.AddUsers(List.of(name), List.of(accounts), List.of(), List.of());
    }

    private static AccountsChange modify(
            AccountsEntity entity, AccountsSelector where, AccountSetting... settings) {
        return new AccountsChange.Modify(entity, where, List.of(settings));
    }

    private static AccountsChange delete(AccountsEntity entity, AccountsSelector where) {
        return new AccountsChange.Delete(entity, where);
    }

    private static ErrorCode codeOf(Result result) {
        assertThat(result).isInstanceOf(Result.Refused.class);
        return ((Result.Refused) result).code();
    }

    private void lab() {
        change(
                Heart.ADMIN,
                account("physics", ""),
                account("lasers", "physics"),
                account("chem", ""),
                user("alice", "lasers"),
                user("bob", "chem", "physics"));
    }

    @Test
    void everyClusterBeginsWithTheAccountRootItsUserAndTheQosNormal() {
        assertThat(accounts().accounts().keySet()).containsExactly("root");
        assertThat(known("root").adminLevel()).isEqualTo(Role.ADMIN);
        assertThat(accounts().qos("normal")).isPresent();
        assertThat(accounts().qosInForce(2)).containsExactly(1);
    }

    @Test
    void coordinatorTakesNobodysRightsOverTheCluster() {
        lab();
        change(
                Heart.ADMIN,
                new AccountsChange.AddCoordinators(List.of("lasers"), List.of("alice")),
                user("oper", "lasers"),
                user("carl", "lasers"),
                modify(
                        AccountsEntity.USER,
                        AccountsSelector.named("oper"),
                        new AccountSetting.SetAdminLevel(Role.OPERATOR)));

        change(
                Heart.ALICE,
                delete(AccountsEntity.USER, AccountsSelector.named("oper").ofAccounts("lasers")),
                delete(AccountsEntity.USER, AccountsSelector.named("carl").ofAccounts("lasers")));

        assertThat(known("oper").adminLevel()).isEqualTo(Role.OPERATOR);
        assertThat(accounts().users()).doesNotContainKey("carl");
    }

    @Test
    void treeIsListedWithParentsBeforeChildrenAndUsersBeforeAccounts() {
        lab();

        assertThat(accounts().inOrder().stream().map(one -> one.account() + "/" + one.user()))
                .containsExactly(
                        "root/",
                        "root/root",
                        "chem/",
                        "chem/bob",
                        "physics/",
                        "physics/bob",
                        "lasers/",
                        "lasers/alice");
    }

    @Test
    void firstAccountOfAUserIsHisDefault() {
        lab();

        assertThat(known("bob").defaultAccount()).isEqualTo("chem");
    }

    @Test
    void whatIsThereAlreadyIsNotAddedAgain() {
        lab();
        var before = accounts();

        assertThat(change(Heart.ADMIN, account("chem", "")))
                .isEqualTo(new Result.AccountsChanged(List.of()));
        assertThat(accounts()).isSameAs(before);
    }

    @Test
    void allChangesOfARequestHappenOrNone() {
        var result = change(Heart.ADMIN, account("good", ""), account("bad", "nowhere"));

        assertThat(codeOf(result)).isEqualTo(ErrorCode.INVALID_ACCOUNT);
        assertThat(accounts().accounts()).doesNotContainKey("good");
    }

    @Test
    void limitsAreInheritedUntilSomethingBelowHasItsOwn() {
        lab();
        change(
                Heart.ADMIN,
                modify(
                        AccountsEntity.ACCOUNT,
                        AccountsSelector.named("physics"),
                        new AccountSetting.SetCount(CountLimit.MAX_JOBS, 5),
                        new AccountSetting.SetCount(CountLimit.GRP_JOBS, 50),
                        new AccountSetting.SetTres(TresLimit.MAX_PER_JOB, Map.of(1, 8L, 4, 2L))),
                modify(
                        AccountsEntity.ACCOUNT,
                        AccountsSelector.named("lasers"),
                        new AccountSetting.SetTres(TresLimit.MAX_PER_JOB, Map.of(1, 4L))));

        var alice = accounts().association("lasers", "alice", "").orElseThrow();
        var limits = accounts().limitsInForce(alice.id());

        assertThat(limits.count(CountLimit.MAX_JOBS)).isEqualTo(5);
        assertThat(limits.count(CountLimit.GRP_JOBS)).isNull();
        assertThat(limits.amounts(TresLimit.MAX_PER_JOB).byNumber())
                .isEqualTo(Map.of(1, 4L, 4, 2L));
    }

    @Test
    void whoeverInheritsAChangedLimitIsNamedWithIt() {
        lab();

        var result =
                change(
                        Heart.ADMIN,
                        modify(
                                AccountsEntity.ACCOUNT,
                                AccountsSelector.named("lasers"),
                                new AccountSetting.SetShares(Shares.of(7)),
                                new AccountSetting.SetCount(CountLimit.MAX_JOBS, 3)));

        assertThat(((Result.AccountsChanged) result).affected())
                .extracting(one -> one.account() + "/" + one.user() + " of " + one.parent())
                .containsExactly("lasers/ of physics", "lasers/alice of ");
    }

    @Test
    void negativeAmountsClearAndZeroAllowsNothing() {
        lab();
        var where = AccountsSelector.named("chem");
        change(
                Heart.ADMIN,
                modify(
                        AccountsEntity.ACCOUNT,
                        where,
                        new AccountSetting.SetTres(TresLimit.GRP, Map.of(1, 0L, 2, 100L))),
                modify(
                        AccountsEntity.ACCOUNT,
                        where,
                        new AccountSetting.SetTres(TresLimit.GRP, Map.of(2, -1L))));

        assertThat(accounts().association("chem").orElseThrow().limits().amounts(TresLimit.GRP))
                .isEqualTo(new TresAmounts(Map.of(1, 0L)));
    }

    @Test
    void accountCannotMoveBelowItself() {
        lab();

        var result =
                change(
                        Heart.ADMIN,
                        modify(
                                AccountsEntity.ACCOUNT,
                                AccountsSelector.named("physics"),
                                new AccountSetting.SetParent("lasers")));

        assertThat(codeOf(result)).isEqualTo(ErrorCode.INVALID_ACCOUNT);
    }

    @Test
    void accountWithAccountsBelowIsDeletedOnlyWithThem() {
        lab();

        assertThat(
                        codeOf(
                                change(
                                        Heart.ADMIN,
                                        delete(
                                                AccountsEntity.ACCOUNT,
                                                AccountsSelector.named("physics")))))
                .isEqualTo(ErrorCode.INVALID_ACCOUNT);
        change(
                Heart.ADMIN,
                delete(AccountsEntity.ACCOUNT, AccountsSelector.named("physics", "lasers")));

        assertThat(accounts().accounts().keySet()).containsExactly("chem", "root");
        assertThat(accounts().users().keySet()).containsExactly("bob", "root");
    }

    @Test
    void defaultAccountStaysAsLongAsThereIsAnother() {
        lab();
        var fromChem = AccountsSelector.named("bob").ofAccounts("chem");
        var fromPhysics = AccountsSelector.named("bob").ofAccounts("physics");

        assertThat(codeOf(change(Heart.ADMIN, delete(AccountsEntity.USER, fromChem))))
                .isEqualTo(ErrorCode.NO_REMOVE_DEFAULT_ACCOUNT);
        change(Heart.ADMIN, delete(AccountsEntity.USER, fromPhysics));
        change(Heart.ADMIN, delete(AccountsEntity.USER, fromChem));

        assertThat(accounts().users()).doesNotContainKey("bob");
    }

    @Test
    void defaultAccountIsOneOfTheUsers() {
        lab();

        var result =
                change(
                        Heart.ADMIN,
                        modify(
                                AccountsEntity.USER,
                                AccountsSelector.named("alice"),
                                new AccountSetting.SetDefaultAccount("chem")));

        assertThat(codeOf(result)).isEqualTo(ErrorCode.INVALID_ACCOUNT);
    }

    @Test
    void ordinaryUserChangesNothingButHisOwnDefaultAccount() {
        lab();

        assertThat(codeOf(change(Heart.BOB, account("hack", ""))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        assertThat(
                        codeOf(
                                change(
                                        Heart.BOB,
                                        modify(
                                                AccountsEntity.USER,
                                                AccountsSelector.named("bob"),
                                                new AccountSetting.SetShares(Shares.of(9))))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        change(
                Heart.BOB,
                modify(
                        AccountsEntity.USER,
                        AccountsSelector.named("bob"),
                        new AccountSetting.SetDefaultAccount("physics")));

        assertThat(known("bob").defaultAccount()).isEqualTo("physics");
    }

    @Test
    void operatorManagesAccountsButNeitherQosNorRights() {
        change(OPERATOR, account("bio", ""), user("carol", "bio"));

        assertThat(accounts().users()).containsKey("carol");
        assertThat(codeOf(change(OPERATOR, new AccountsChange.AddQos(List.of("high"), List.of()))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        assertThat(
                        codeOf(
                                change(
                                        OPERATOR,
                                        modify(
                                                AccountsEntity.USER,
                                                AccountsSelector.named("carol"),
                                                new AccountSetting.SetAdminLevel(Role.ADMIN)))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
    }

    @Test
    void coordinatorManagesWhoIsBelowHisAccountButNotWhatItGets() {
        lab();
        change(Heart.ADMIN, new AccountsChange.AddCoordinators(List.of("physics"), List.of("bob")));

        assertThat(change(Heart.BOB, account("masers", "physics"), user("dave", "masers")))
                .isInstanceOf(Result.AccountsChanged.class);
        assertThat(
                        change(
                                Heart.BOB,
                                modify(
                                        AccountsEntity.ACCOUNT,
                                        AccountsSelector.named("lasers"),
                                        new AccountSetting.SetShares(Shares.of(2)))))
                .isInstanceOf(Result.AccountsChanged.class);
        assertThat(
                        codeOf(
                                change(
                                        Heart.BOB,
                                        modify(
                                                AccountsEntity.ACCOUNT,
                                                AccountsSelector.named("physics"),
                                                new AccountSetting.SetShares(Shares.of(99))))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        assertThat(codeOf(change(Heart.BOB, user("eve", "chem"))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
    }

    @Test
    void coordinatorHandsOnNoQosThatHeHasNot() {
        lab();
        change(
                Heart.ADMIN,
                new AccountsChange.AddCoordinators(List.of("physics"), List.of("bob")),
                new AccountsChange.AddQos(List.of("urgent", "short"), List.of()),
                modify(
                        AccountsEntity.ACCOUNT,
                        AccountsSelector.named("physics"),
                        new AccountSetting.SetAllowedQos(
                                AccountSetting.Way.ADD, List.of("short"))));
        var alice = AccountsSelector.named("alice");

        assertThat(codeOf(change(Heart.BOB, modify(AccountsEntity.USER, alice, add("urgent")))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        assertThat(
                        codeOf(
                                change(
                                        Heart.BOB,
                                        new AccountsChange.AddUsers(
                                                List.of("dave"),
                                                List.of("lasers"),
                                                List.of(),
                                                List.of(add("urgent"))))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        assertThat(change(Heart.BOB, modify(AccountsEntity.USER, alice, add("short"))))
                .isInstanceOf(Result.AccountsChanged.class);
    }

    private static AccountSetting add(String qos) {
        return new AccountSetting.SetAllowedQos(AccountSetting.Way.ADD, List.of(qos));
    }

    @Test
    void userChoosesAmongHisWckeysAndMakesNone() {
        lab();
        change(Heart.ADMIN, new AccountsChange.AddWckeys(List.of("thesis"), List.of("bob")));
        var own = AccountsSelector.named("bob");

        assertThat(
                        change(
                                Heart.BOB,
                                modify(
                                        AccountsEntity.USER,
                                        own,
                                        new AccountSetting.SetDefaultWckey("thesis"))))
                .isInstanceOf(Result.AccountsChanged.class);
        assertThat(
                        codeOf(
                                change(
                                        Heart.BOB,
                                        modify(
                                                AccountsEntity.USER,
                                                own,
                                                new AccountSetting.SetDefaultWckey("free")))))
                .isEqualTo(ErrorCode.ACCESS_DENIED);
        assertThat(
                        codeOf(
                                change(
                                        Heart.ADMIN,
                                        modify(
                                                AccountsEntity.USER,
                                                own,
                                                new AccountSetting.SetDefaultWckey("a,b")))))
                .isEqualTo(ErrorCode.BAD_NAME);
    }

    @Test
    void limitThatManyInheritIsSetAtOnce() {
        for (var part = 0; part < 4; part++) {
            var names = new java.util.ArrayList<String>();
            for (var i = 0; i < 2_000; i++) {
                names.add("user" + part + "." + i);
            }
            change(
                    Heart.ADMIN,
                    new AccountsChange.AddUsers(names, List.of("root"), List.of(), List.of()));
        }

        var result =
                change(
                        Heart.ADMIN,
                        modify(
                                AccountsEntity.ACCOUNT,
                                AccountsSelector.named("root"),
                                new AccountSetting.SetCount(CountLimit.MAX_JOBS, 10)));

        assertThat(result).isInstanceOf(Result.AccountsChanged.class);
        var last = accounts().association("root", "user3.1999", "").orElseThrow();
        assertThat(accounts().limitsInForce(last.id()).count(CountLimit.MAX_JOBS)).isEqualTo(10);
    }

    @Test
    void defaultQosIsOneThatIsAllowed() {
        lab();
        change(Heart.ADMIN, new AccountsChange.AddQos(List.of("short"), List.of()));
        var where = AccountsSelector.named("alice");

        assertThat(
                        codeOf(
                                change(
                                        Heart.ADMIN,
                                        modify(
                                                AccountsEntity.USER,
                                                where,
                                                new AccountSetting.SetDefaultQos("short")))))
                .isEqualTo(ErrorCode.INVALID_QOS);
        change(
                Heart.ADMIN,
                modify(
                        AccountsEntity.USER,
                        where,
                        new AccountSetting.SetAllowedQos(AccountSetting.Way.ADD, List.of("short")),
                        new AccountSetting.SetDefaultQos("short")));

        var alice = accounts().association("lasers", "alice", "").orElseThrow();
        assertThat(accounts().qosInForce(alice.id())).containsExactly(1, 2);
        assertThat(accounts().defaultQosInForce(alice.id())).isEqualTo(2);
    }

    @Test
    void deletedQosIsAllowedNowhereAnyMore() {
        lab();
        change(
                Heart.ADMIN,
                new AccountsChange.AddQos(List.of("short"), List.of()),
                modify(
                        AccountsEntity.USER,
                        AccountsSelector.named("alice"),
                        new AccountSetting.SetAllowedQos(
                                AccountSetting.Way.SET, List.of("normal", "short"))),
                delete(AccountsEntity.QOS, AccountsSelector.named("short")));

        var alice = accounts().association("lasers", "alice", "").orElseThrow();
        assertThat(accounts().qosInForce(alice.id())).containsExactly(1);
    }

    @Test
    void numbersAreNeverGivenAgain() {
        lab();
        var gone = accounts().association("lasers", "alice", "").orElseThrow().id();
        change(Heart.ADMIN, delete(AccountsEntity.USER, AccountsSelector.named("alice")));

        change(Heart.ADMIN, user("alice", "lasers"));

        assertThat(accounts().association("lasers", "alice", "").orElseThrow().id())
                .isGreaterThan(gone);
    }

    @Test
    void namesThatWouldBeTakenApartAreRefused() {
        for (var name : List.of("", "a b", "a,b", "a=b", "-x", "x".repeat(200), "ä\u0007")) {
            assertThat(codeOf(change(Heart.ADMIN, account(name, ""))))
                    .as(name)
                    .isEqualTo(ErrorCode.BAD_NAME);
        }
    }

    @Test
    void changeThatExpectsAnotherRevisionIsRefused() {
        lab();
        var seen = accounts().revision();
        change(Heart.ADMIN, account("bio", ""));

        var result =
                cluster.apply(
                        new Command.ChangeAccounts(
                                cluster.now(), "", Heart.ADMIN, List.of(account("zoo", "")), seen));

        assertThat(codeOf(result)).isEqualTo(ErrorCode.CHANGED_MEANWHILE);
    }

    @Test
    void everyChangeIsToldWithWhoMadeItAndWhatIsThereNow() {
        cluster.takeEvents();

        change(
                Heart.ADMIN,
                new AccountsChange.AddAccounts(
                        List.of("bio"),
                        "",
                        List.of(
                                new AccountSetting.SetDescription("bio"),
                                new AccountSetting.SetShares(Shares.of(5)))));

        var event = (Event.AccountsChanged) cluster.takeEvents().getFirst();
        assertThat(event.actor()).isEqualTo(Heart.ADMIN);
        assertThat(event.news().action()).isEqualTo("Add Accounts");
        assertThat(event.news().info()).isEqualTo("Description=bio,Fairshare=5");
        assertThat(event.news().associations().getFirst().shares().count()).isEqualTo(5);
    }

    @Test
    void modificationThatNamesNothingIsRefused() {
        assertThat(
                        codeOf(
                                change(
                                        Heart.ADMIN,
                                        modify(
                                                AccountsEntity.USER,
                                                AccountsSelector.named(),
                                                new AccountSetting.SetShares(Shares.of(0))))))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
    }
}
