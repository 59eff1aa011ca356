package dev.spur.rest.slurm;

import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsEntity;
import dev.spur.api.v1.AccountsSelector;
import dev.spur.api.v1.AddAccounts;
import dev.spur.api.v1.AddCoordinators;
import dev.spur.api.v1.AddQos;
import dev.spur.api.v1.AddUsers;
import dev.spur.api.v1.AddWckeys;
import dev.spur.api.v1.AffectedEntity;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.DeleteEntities;
import dev.spur.api.v1.ModifyEntities;
import dev.spur.api.v1.Setting;
import dev.spur.rest.cluster.AccountBook;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Accounts, users, associations and QOS that are added, changed or deleted. What is sent of one
/// that there is changes it; all of a request happens, or nothing.
final class AccountChanges {
    /// Where Slurm's structure of an association has what, by sacctmgr's names.
    private static final Map<String, String> OF_ASSOCIATION =
            Map.ofEntries(
                    Map.entry("comment", "comment"),
                    Map.entry("default.qos", "defaultqos"),
                    Map.entry("shares_raw", "fairshare"),
                    Map.entry("priority", "priority"),
                    Map.entry("qos", "qos"),
                    Map.entry("max.jobs.per.count", "grpjobs"),
                    Map.entry("max.jobs.per.accruing", "grpjobsaccrue"),
                    Map.entry("max.jobs.per.submitted", "grpsubmitjobs"),
                    Map.entry("max.jobs.per.wall_clock", "maxwall"),
                    Map.entry("max.jobs.active", "maxjobs"),
                    Map.entry("max.jobs.accruing", "maxjobsaccrue"),
                    Map.entry("max.jobs.total", "maxsubmitjobs"),
                    Map.entry("max.per.account.wall_clock", "grpwall"),
                    Map.entry("max.tres.total", "grptres"),
                    Map.entry("max.tres.group.minutes", "grptresmins"),
                    Map.entry("max.tres.group.active", "grptresrunmins"),
                    Map.entry("max.tres.minutes.per.job", "maxtresmins"),
                    Map.entry("max.tres.per.job", "maxtres"),
                    Map.entry("max.tres.per.node", "maxtrespernode"),
                    Map.entry("min.priority_threshold", "minpriothresh"));

    private static final Map<String, String> OF_QOS =
            Map.ofEntries(
                    Map.entry("description", "description"),
                    Map.entry("priority", "priority"),
                    Map.entry("usage_factor", "usagefactor"),
                    Map.entry("preempt.list", "preempt"),
                    Map.entry("limits.grace_time", "gracetime"),
                    Map.entry("limits.max.active_jobs.count", "grpjobs"),
                    Map.entry("limits.max.active_jobs.accruing", "grpjobsaccrue"),
                    Map.entry("limits.max.jobs.count", "grpsubmitjobs"),
                    Map.entry("limits.max.jobs.active_jobs.per.user", "maxjobsperuser"),
                    Map.entry("limits.max.jobs.active_jobs.per.account", "maxjobsperaccount"),
                    Map.entry("limits.max.jobs.per.user", "maxsubmitjobsperuser"),
                    Map.entry("limits.max.jobs.per.account", "maxsubmitjobsperaccount"),
                    Map.entry("limits.max.wall_clock.per.qos", "grpwall"),
                    Map.entry("limits.max.wall_clock.per.job", "maxwall"),
                    Map.entry("limits.max.tres.total", "grptres"),
                    Map.entry("limits.max.tres.minutes.total", "grptresmins"),
                    Map.entry("limits.max.tres.minutes.per.qos", "grptresrunmins"),
                    Map.entry("limits.max.tres.minutes.per.job", "maxtresmins"),
                    Map.entry("limits.max.tres.per.job", "maxtres"),
                    Map.entry("limits.max.tres.per.node", "maxtrespernode"),
                    Map.entry("limits.max.tres.per.user", "maxtresperuser"),
                    Map.entry("limits.max.tres.per.account", "maxtresperaccount"),
                    Map.entry("limits.min.tres.per.job", "mintres"),
                    Map.entry("limits.min.priority_threshold", "minpriothresh"));

    /// Members of the structures in which conditions carry settings have sacctmgr's names.
    private static final List<String> OF_CONDITION =
            List.of(
                    "comment",
                    "defaultqos",
                    "grpjobs",
                    "grpjobsaccrue",
                    "grpsubmitjobs",
                    "grptres",
                    "grptresmins",
                    "grptresrunmins",
                    "grpwall",
                    "maxjobs",
                    "maxjobsaccrue",
                    "maxsubmitjobs",
                    "maxtresminsperjob",
                    "maxtresrunmins",
                    "maxtresperjob",
                    "maxtrespernode",
                    "maxwalldurationperjob",
                    "minpriothresh",
                    "parent",
                    "priority",
                    "qoslevel",
                    "fairshare");

    private AccountChanges() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurmdb_post_accounts", AccountChanges::accounts);
        operations.put("slurmdb_post_users", AccountChanges::users);
        operations.put("slurmdb_post_associations", AccountChanges::associations);
        operations.put("slurmdb_post_qos", AccountChanges::qos);
        operations.put("slurmdb_post_wckeys", AccountChanges::wckeys);
        operations.put("slurmdb_post_accounts_association", AccountChanges::accountsAssociation);
        operations.put("slurmdb_post_users_association", AccountChanges::usersAssociation);
        operations.put(
                "slurmdb_delete_account",
                call ->
                        removed(
                                call,
                                "removed_accounts",
                                delete(
                                        call,
                                        AccountsEntity.ACCOUNTS_ACCOUNT,
                                        named(call, "account_name")),
                                AffectedEntity::getName));
        operations.put(
                "slurmdb_delete_user",
                call -> {
                    delete(call, AccountsEntity.ACCOUNTS_USER, named(call, "name"));
                    return call.answer(_ -> {});
                });
        operations.put(
                "slurmdb_delete_single_qos",
                call ->
                        removed(
                                call,
                                "removed_qos",
                                delete(call, AccountsEntity.ACCOUNTS_QOS, named(call, "qos")),
                                AffectedEntity::getName));
        operations.put("slurmdb_delete_wckey", AccountChanges::deleteWckey);
        operations.put("slurmdb_delete_association", AccountChanges::deleteAssociations);
        operations.put("slurmdb_delete_associations", AccountChanges::deleteAssociations);
    }

    private static AccountsSelector named(SlurmCall call, String place) {
        return AccountsSelector.newBuilder().addNames(call.request().value(place)).build();
    }

    private static List<AffectedEntity> delete(
            SlurmCall call, AccountsEntity entity, AccountsSelector where) {
        var change =
                AccountsChange.newBuilder()
                        .setDelete(DeleteEntities.newBuilder().setEntity(entity).setWhere(where))
                        .build();
        var affected = send(call, List.of(change));
        if (affected.isEmpty()) {
            throw Refusal.nothingFound("there is nothing of that name to delete");
        }
        return affected;
    }

    private static List<AffectedEntity> send(SlurmCall call, List<AccountsChange> changes) {
        if (changes.isEmpty()) {
            throw Refusal.unreadable("the body changes nothing");
        }
        var request =
                ChangeAccountsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addAllChanges(changes)
                        .build();
        return call.client()
                .accounts(accounts -> accounts.changeAccounts(request))
                .getAffectedList();
    }

    private static Reply removed(
            SlurmCall call,
            String key,
            List<AffectedEntity> affected,
            Function<AffectedEntity, String> name) {
        return call.answer(json -> {
            json.text(key).raw(":[");
            affected.forEach(each -> json.text(name.apply(each)).raw(','));
            json.withoutLastComma().raw("],");
        });
    }

    private static Reply deleteWckey(SlurmCall call) {
        var id = call.request().value("id");
        var book = AccountBook.ask(call.cluster(), call.caller(), false);
        var found =
                book.all().getWckeysList().stream()
                        .filter(each -> id.equals(Integer.toUnsignedString(each.getId())))
                        .findFirst()
                        .orElseThrow(
                                () -> Refusal.nothingFound("there is no wckey of that number"));
        var where =
                AccountsSelector.newBuilder()
                        .addNames(found.getName())
                        .addUsers(found.getUser())
                        .build();
        return removed(
                call,
                "deleted_wckeys",
                delete(call, AccountsEntity.ACCOUNTS_WCKEY, where),
                AffectedEntity::getName);
    }

    private static Reply deleteAssociations(SlurmCall call) {
        if (call.request().query().isEmpty()) {
            throw Refusal.badQuery("say which associations: account, user, partition or id");
        }
        var book = AccountBook.ask(call.cluster(), call.caller(), false);
        var chosen = AccountListing.chosen(call.request(), book);
        if (chosen.isEmpty()) {
            throw Refusal.nothingFound("no association is like that");
        }
        var where = AccountsSelector.newBuilder();
        chosen.forEach(each -> where.addAssociationIds(each.getId()));
        return removed(
                call,
                "removed_associations",
                delete(call, AccountsEntity.ACCOUNTS_ASSOCIATION, where.build()),
                each ->
                        "C = %s A = %s U = %s"
                                .formatted(
                                        book.all().getCluster(),
                                        each.getAccount(),
                                        each.getUser()));
    }

    private static Reply accounts(SlurmCall call) {
        var book = AccountBook.ask(call.cluster(), call.caller(), false);
        var changes = new ArrayList<AccountsChange>();
        for (var account : call.body().objects("accounts")) {
            var name = name(account, "name");
            var settings = new ArrayList<Setting>();
            for (var key : List.of("description", "organization")) {
                account.given(key).ifPresent(text -> settings.add(setting(key, text)));
            }
            var change = AccountsChange.newBuilder();
            if (book.hasAccount(name)) {
                modify(
                        changes,
                        AccountsEntity.ACCOUNTS_ACCOUNT,
                        AccountsSelector.newBuilder().addNames(name),
                        settings);
            } else {
                changes.add(
                        change.setAddAccounts(
                                        AddAccounts.newBuilder()
                                                .addNames(name)
                                                .addAllSettings(settings))
                                .build());
            }
            var coordinators =
                    account.objects("coordinators").stream()
                            .map(each -> name(each, "name"))
                            .toList();
            if (!coordinators.isEmpty()) {
                changes.add(
                        AccountsChange.newBuilder()
                                .setAddCoordinators(
                                        AddCoordinators.newBuilder()
                                                .addAccounts(name)
                                                .addAllUsers(coordinators))
                                .build());
            }
        }
        return done(call, changes);
    }

    /// What is so already is fine.
    private static Reply done(SlurmCall call, List<AccountsChange> changes) {
        send(call, changes);
        return call.answer(_ -> {});
    }

    private static void modify(
            List<AccountsChange> changes,
            AccountsEntity entity,
            AccountsSelector.Builder where,
            List<Setting> settings) {
        if (!settings.isEmpty()) {
            changes.add(
                    AccountsChange.newBuilder()
                            .setModify(
                                    ModifyEntities.newBuilder()
                                            .setEntity(entity)
                                            .setWhere(where)
                                            .addAllSet(settings))
                            .build());
        }
    }

    private static Reply users(SlurmCall call) {
        var book = AccountBook.ask(call.cluster(), call.caller(), false);
        var changes = new ArrayList<AccountsChange>();
        for (var user : call.body().objects("users")) {
            var name = name(user, "name");
            var account = user.object("default").flatMap(each -> each.text("account"));
            var settings = new ArrayList<Setting>();
            user.words("administrator_level").stream()
                    .filter(level -> !level.equals("Not Set"))
                    .forEach(level -> settings.add(setting("adminlevel", level)));
            user.object("default")
                    .flatMap(each -> each.text("wckey"))
                    .ifPresent(key -> settings.add(setting("defaultwckey", key)));
            if (book.hasUser(name)) {
                account.ifPresent(key -> settings.add(setting("defaultaccount", key)));
                modify(
                        changes,
                        AccountsEntity.ACCOUNTS_USER,
                        AccountsSelector.newBuilder().addNames(name),
                        settings);
                continue;
            }
            if (account.isEmpty()) {
                throw Refusal.of(
                        422,
                        dev.spur.model.ErrorCode.INVALID_ACCOUNT,
                        "user %s needs an account: give default.account".formatted(name));
            }
            changes.add(
                    AccountsChange.newBuilder()
                            .setAddUsers(
                                    AddUsers.newBuilder()
                                            .addNames(name)
                                            .addAccounts(account.get())
                                            .addAllSettings(settings))
                            .build());
        }
        return done(call, changes);
    }

    private static Reply associations(SlurmCall call) {
        var book = AccountBook.ask(call.cluster(), call.caller(), false);
        var changes = new ArrayList<AccountsChange>();
        for (var each : call.body().objects("associations")) {
            var account = name(each, "account");
            var user = each.text("user").orElse("");
            var partition = each.text("partition").orElse("");
            var settings = settings(each, OF_ASSOCIATION);
            if (book.hasAssociation(account, user, partition)) {
                each.text("parent_account")
                        .ifPresent(parent -> settings.add(setting("parent", parent)));
                var where = AccountsSelector.newBuilder().addAccounts(account);
                if (!user.isEmpty()) {
                    where.addUsers(user);
                }
                if (!partition.isEmpty()) {
                    where.addPartitions(partition);
                }
                modify(
                        changes,
                        user.isEmpty()
                                ? AccountsEntity.ACCOUNTS_ACCOUNT
                                : AccountsEntity.ACCOUNTS_USER,
                        user.isEmpty()
                                ? AccountsSelector.newBuilder().addNames(account)
                                : where.addNames(user),
                        settings);
            } else if (user.isEmpty()) {
                changes.add(
                        AccountsChange.newBuilder()
                                .setAddAccounts(
                                        AddAccounts.newBuilder()
                                                .addNames(account)
                                                .setParent(each.text("parent_account").orElse(""))
                                                .addAllSettings(settings))
                                .build());
            } else {
                changes.add(
                        addUsers(
                                List.of(user),
                                List.of(account),
                                partition.isEmpty() ? List.of() : List.of(partition),
                                settings));
            }
        }
        return done(call, changes);
    }

    private static AccountsChange addUsers(
            List<String> users,
            List<String> accounts,
            List<String> partitions,
            List<Setting> settings) {
        return AccountsChange.newBuilder()
                .setAddUsers(
                        AddUsers.newBuilder()
                                .addAllNames(users)
                                .addAllAccounts(accounts)
                                .addAllPartitions(partitions)
                                .addAllSettings(settings))
                .build();
    }

    private static Reply qos(SlurmCall call) {
        var book = AccountBook.ask(call.cluster(), call.caller(), false);
        var changes = new ArrayList<AccountsChange>();
        for (var each : call.body().objects("qos")) {
            var name = name(each, "name");
            var settings = settings(each, OF_QOS);
            each.object("preempt")
                    .map(preempt -> preempt.words("mode"))
                    .filter(modes -> !modes.isEmpty())
                    .ifPresent(modes -> settings.add(setting("preemptmode", modes.getFirst())));
            if (book.hasQos(name)) {
                modify(
                        changes,
                        AccountsEntity.ACCOUNTS_QOS,
                        AccountsSelector.newBuilder().addNames(name),
                        settings);
            } else {
                changes.add(
                        AccountsChange.newBuilder()
                                .setAddQos(
                                        AddQos.newBuilder().addNames(name).addAllSettings(settings))
                                .build());
            }
        }
        return done(call, changes);
    }

    private static Reply wckeys(SlurmCall call) {
        var changes = new ArrayList<AccountsChange>();
        for (var each : call.body().objects("wckeys")) {
            changes.add(
                    AccountsChange.newBuilder()
                            .setAddWckeys(
                                    AddWckeys.newBuilder()
                                            .addNames(name(each, "name"))
                                            .addUsers(name(each, "user")))
                            .build());
        }
        return done(call, changes);
    }

    private static Reply accountsAssociation(SlurmCall call) {
        var body = call.body();
        var condition = condition(body);
        var accounts = condition.words("accounts");
        var settings = ofCondition(condition);
        var parent =
                condition.object("association").flatMap(each -> each.text("parent")).orElse("");
        body.object("account")
                .ifPresent(account -> {
                    for (var key : List.of("description", "organization")) {
                        account.text(key).ifPresent(text -> settings.add(setting(key, text)));
                    }
                });
        settings.removeIf(each -> each.getKey().equals("parent"));
        var affected =
                send(
                        call,
                        List.of(
                                AccountsChange.newBuilder()
                                        .setAddAccounts(
                                                AddAccounts.newBuilder()
                                                        .addAllNames(accounts)
                                                        .setParent(parent)
                                                        .addAllSettings(settings))
                                        .build()));
        return added(call, "added_accounts", affected);
    }

    private static Reply usersAssociation(SlurmCall call) {
        var body = call.body();
        var condition = condition(body);
        var settings = ofCondition(condition);
        body.object("user")
                .ifPresent(user -> {
                    user.words("adminlevel").stream()
                            .filter(level -> !level.equals("Not Set"))
                            .forEach(level -> settings.add(setting("adminlevel", level)));
                    user.text("defaultaccount")
                            .ifPresent(text -> settings.add(setting("defaultaccount", text)));
                    user.text("defaultwckey")
                            .ifPresent(text -> settings.add(setting("defaultwckey", text)));
                });
        var affected =
                send(
                        call,
                        List.of(
                                addUsers(
                                        condition.words("users"),
                                        condition.words("accounts"),
                                        condition.words("partitions"),
                                        settings)));
        return added(call, "added_users", affected);
    }

    private static Body condition(Body body) {
        return body.object("association_condition")
                .orElseThrow(() -> Refusal.unreadable("the body has no association_condition"));
    }

    private static Reply added(SlurmCall call, String key, List<AffectedEntity> affected) {
        var names = new StringBuilder();
        affected.forEach(each -> names.append("  ").append(each.getName()).append('\n'));
        return call.answer(json -> json.text(key).raw(':').text(names.toString()).raw(','));
    }

    private static List<Setting> ofCondition(Body condition) {
        var settings = new ArrayList<Setting>();
        condition
                .object("association")
                .ifPresent(each -> {
                    for (var name : OF_CONDITION) {
                        value(each, name).forEach(text -> settings.add(setting(name, text)));
                    }
                });
        return settings;
    }

    private static String name(Body body, String member) {
        return body.text(member)
                .orElseThrow(
                        () -> Refusal.unreadable("%s needs \"%s\"".formatted(body.path(), member)));
    }

    private static Setting setting(String key, String value) {
        return Setting.newBuilder().setKey(key).setOperator("=").setValue(value).build();
    }

    /// What is said at the places that settings have.
    private static List<Setting> settings(Body body, Map<String, String> places) {
        var settings = new ArrayList<Setting>();
        places.forEach((place, key) -> {
            var steps = place.split("\\.", -1);
            var at = java.util.Optional.of(body);
            for (var i = 0; i < steps.length - 1 && at.isPresent(); i++) {
                at = at.get().object(steps[i]);
            }
            at.ifPresent(each ->
                    value(each, steps[steps.length - 1])
                            .forEach(text -> settings.add(setting(key, text))));
        });
        return settings;
    }

    /// A number, a list of amounts or of words, or a text, as sacctmgr would have it typed; none if
    /// nothing is said.
    private static List<String> value(Body body, String name) {
        if (!body.has(name)) {
            return List.of();
        }
        if (body.isInfinite(name)) {
            return List.of("-1");
        }
        if (body.isList(name)) {
            if (body.isListOfObjects(name)) {
                var amounts = new ArrayList<String>();
                for (var each : body.objects(name)) {
                    amounts.add(amount(each));
                }
                return amounts.isEmpty() ? List.of() : List.of(String.join(",", amounts));
            }
            var words = body.words(name);
            return words.isEmpty() ? List.of() : List.of(String.join(",", words));
        }
        if (body.isObject(name)) {
            var number = body.decimal(name);
            return number.isEmpty() ? List.of() : List.of(number.get());
        }
        return body.text(name).map(List::of).orElse(List.of());
    }

    private static String amount(Body each) {
        var kind = name(each, "type");
        var name = each.text("name").map(text -> kind + "/" + text).orElse(kind);
        return "%s=%d".formatted(name, each.number("count").orElse(0));
    }
}
