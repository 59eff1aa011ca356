package dev.spur.engine.account;

import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Changes accounts, users, associations and QOS: all that was asked for, or nothing. A pure
/// function of what is there, who asks, and which of it jobs use.
///
/// Rights are Slurm's: administrators do everything; operators all but QOS and levels of rights;
/// coordinators what concerns the users and accounts below theirs; everybody chooses his own
/// default account.
public final class AccountsEditor {
    private static final int LONGEST_NAME = 128;

    /// Levels of the tree.
    private static final int DEEPEST = 100;

    private static final int MOST_AT_ONCE = 5_000;

    /// All of them are in the memory of every controller: coordinators fill a half of it at most.
    private static final int MOST_ASSOCIATIONS = 200_000;

    private static final int MOST_HEIRS_SHOWN = 1_000;

    private final AccountsDraft draft;
    private final Actor actor;
    private final InUse inUse;
    private final List<AffectedEntity> affected = new ArrayList<>();
    private final List<AccountsNews> news = new ArrayList<>();
    private final Set<Integer> forgetUsage = new LinkedHashSet<>();
    private final Set<Integer> forgetQosUsage = new LinkedHashSet<>();

    private AccountsEditor(Accounts before, Actor actor, InUse inUse) {
        draft = new AccountsDraft(before);
        this.actor = actor;
        this.inUse = inUse;
    }

    /// What jobs that have not ended use.
    public interface InUse {
        /// By number, or null if there is none.
        @Nullable String jobOfAssociation(int association);

        @Nullable String jobOfQos(int qos);
    }

    public sealed interface Answer {}

    /// @param accounts the same as before if nothing was to do
    /// @param forgetUsage associations whose usage counts no more
    public record Changed(
            Accounts accounts,
            List<AffectedEntity> affected,
            List<AccountsNews> news,
            List<Integer> forgetUsage,
            List<Integer> forgetQosUsage)
            implements Answer {}

    public record Refused(ErrorCode code, String message) implements Answer {}

    /// Carries a refusal out of the rules; never leaves this class.
    private static final class RefusedException extends RuntimeException {
        private final ErrorCode code;

        RefusedException(ErrorCode code, String message) {
            super(message, null, false, false);
            this.code = code;
        }
    }

    public static Answer change(
            Accounts before, List<AccountsChange> changes, Actor actor, InUse inUse) {
        var editor = new AccountsEditor(before, actor, inUse);
        try {
            editor.requireBounded(changes);
            editor.requireSomeRight(before, changes);
            changes.forEach(editor::change);
        } catch (RefusedException refused) {
            return new Refused(refused.code, String.valueOf(refused.getMessage()));
        }
        var isSame = editor.affected.isEmpty();
        if (!isSame && editor.isTooMany(before)) {
            return new Refused(
                    ErrorCode.INVALID_REQUEST,
                    Text.of(
                            "the cluster has %d associations, and %s. Delete some that nobody uses",
                            before.associations().size(),
                            actor.role().atLeast(Role.OPERATOR)
                                    ? Text.of("no more than %d fit", MOST_ASSOCIATIONS)
                                    : "coordinators may not add more. Ask an administrator"));
        }
        if (!isSame && editor.isTooDeep()) {
            return new Refused(
                    ErrorCode.INVALID_ACCOUNT,
                    Text.of("the tree of accounts would be deeper than %d levels", DEEPEST));
        }
        return new Changed(
                isSame ? before : editor.draft.done(),
                List.copyOf(editor.affected),
                List.copyOf(editor.news),
                List.copyOf(editor.forgetUsage),
                List.copyOf(editor.forgetQosUsage));
    }

    /// The state waits while it is changed: no request keeps it for long.
    private void requireBounded(List<AccountsChange> changes) {
        var weight = 0L;
        for (var change : changes) {
            weight +=
                    switch (change) {
                        case AccountsChange.AddAccounts add -> add.names().size();
                        case AccountsChange.AddUsers add ->
                                (long) add.names().size()
                                        * Math.max(1, add.accounts().size())
                                        * Math.max(1, add.partitions().size());
                        case AccountsChange.AddQos add -> add.names().size();
                        case AccountsChange.AddCoordinators add ->
                                (long) add.accounts().size() * add.users().size();
                        case AccountsChange.AddWckeys add ->
                                (long) add.names().size() * add.users().size();
                        case AccountsChange.Modify modify -> 1 + modify.where().size();
                        case AccountsChange.Delete delete -> 1 + delete.where().size();
                    };
        }
        if (weight > MOST_AT_ONCE) {
            throw refused(
                    ErrorCode.INVALID_REQUEST,
                    "the request would change more than %d things at once. Make several of it",
                    MOST_AT_ONCE);
        }
    }

    /// Whoever has no right at all is told so before anything is looked for: an ordinary user may
    /// only say something of himself.
    private void requireSomeRight(Accounts before, List<AccountsChange> changes) {
        var me = actor.userName();
        if (actor.role().atLeast(Role.OPERATOR) || !before.coordinatedBy(me).isEmpty()) {
            return;
        }
        for (var change : changes) {
            if (!(change instanceof AccountsChange.Modify(var entity, var where, _))
                    || entity != AccountsEntity.USER
                    || !where.names().equals(List.of(me))) {
                throw denied();
            }
        }
    }

    private void change(AccountsChange change) {
        switch (change) {
            case AccountsChange.AddAccounts add -> add(add);
            case AccountsChange.AddUsers add -> add(add);
            case AccountsChange.AddQos add -> add(add);
            case AccountsChange.AddCoordinators add -> add(add);
            case AccountsChange.AddWckeys add -> add(add);
            case AccountsChange.Modify modify -> modify(modify);
            case AccountsChange.Delete delete -> delete(delete);
        }
    }

    private void add(AccountsChange.AddAccounts add) {
        var parent = add.parent().isEmpty() ? Account.ROOT : add.parent();
        requireCoordinator(parent);
        var above = draft.association(parent, "", "");
        if (above == null) {
            throw refused(
                    ErrorCode.INVALID_ACCOUNT,
                    "there is no account %s to be the parent. Add it first",
                    parent);
        }
        var told = new News("Add Accounts", "name=" + String.join(",", add.names()));
        for (var name : add.names()) {
            checkName(name);
            if (draft.accounts.containsKey(name)) {
                continue;
            }
            draft.accounts.put(name, new Account(name, name, name, List.of()));
            var made = draft.add(above.id(), name, "", "");
            for (var setting : add.settings()) {
                set(draft.accounts.get(name), setting);
                set(made.id(), setting);
            }
            requireDefaultQosAllowed(made.id());
            told.account(name);
            told.association(made.id());
        }
        told.done(add.settings());
    }

    private void add(AccountsChange.AddUsers add) {
        var first = defaultAccount(add.settings());
        var accounts = add.accounts().isEmpty() && first != null ? List.of(first) : add.accounts();
        if (accounts.isEmpty()) {
            throw refused(ErrorCode.INVALID_ACCOUNT, "need name of account to add user to");
        }
        accounts.forEach(this::requireCoordinator);
        var told = new News("Add Users", "name=" + String.join(",", add.names()));
        for (var name : add.names()) {
            checkName(name);
            var isNew = !draft.users.containsKey(name);
            if (isNew) {
                var usual = first == null ? accounts.getFirst() : first;
                draft.users.put(name, new User(name, usual, "", Role.USER));
                told.user(name);
            }
            for (var account : accounts) {
                addAssociations(name, account, add, told);
            }
            for (var setting : add.settings()) {
                if (isNew || !(setting instanceof AccountSetting.SetDefaultAccount)) {
                    setOfUser(name, setting, isNew);
                }
            }
            if (isNew) {
                requireAssociation(name, requireUser(name).defaultAccount());
            }
        }
        told.done(add.settings());
    }

    private void addAssociations(
            String name, String account, AccountsChange.AddUsers add, News told) {
        var above = draft.association(account, "", "");
        if (above == null) {
            throw refused(
                    ErrorCode.INVALID_ACCOUNT,
                    "there is no account %s. Add it first, or see: sacctmgr show account",
                    account);
        }
        var partitions = add.partitions().isEmpty() ? List.of("") : add.partitions();
        for (var partition : partitions) {
            if (draft.association(account, name, partition) == null) {
                var made = draft.add(above.id(), account, name, partition);
                add.settings().forEach(setting -> set(made.id(), setting));
                requireDefaultQosAllowed(made.id());
                told.association(made.id());
            }
        }
    }

    private static @Nullable String defaultAccount(List<AccountSetting> settings) {
        for (var setting : settings) {
            if (setting instanceof AccountSetting.SetDefaultAccount(var account)) {
                return account;
            }
        }
        return null;
    }

    private void add(AccountsChange.AddQos add) {
        require(Role.ADMIN);
        var told = new News("Add QOS", "name=" + String.join(",", add.names()));
        for (var name : add.names()) {
            checkName(name);
            if (draft.qos(name) == null) {
                var made = draft.addQos(name);
                add.settings().forEach(setting -> setOfQos(made.id(), setting));
                told.qos(made.id());
            }
        }
        told.done(add.settings());
    }

    private void add(AccountsChange.AddCoordinators add) {
        var told =
                new News(
                        "Add Account Coordinators",
                        Text.of(
                                "account=%s user=%s",
                                String.join(",", add.accounts()), String.join(",", add.users())));
        for (var name : add.accounts()) {
            var account = requireAccount(name);
            requireCoordinator(name);
            for (var user : add.users()) {
                requireUser(user);
                if (!account.coordinators().contains(user)) {
                    account = account.withCoordinator(user);
                    draft.accounts.put(name, account);
                    told.coordinator(name, user);
                }
            }
        }
        told.done(List.of());
    }

    private void add(AccountsChange.AddWckeys add) {
        require(Role.OPERATOR);
        var told = new News("Add WCKeys", "name=" + String.join(",", add.names()));
        for (var user : add.users()) {
            requireUser(user);
            for (var name : add.names()) {
                checkName(name);
                if (!hasWckey(user, name)) {
                    draft.addWckey(name, user);
                    told.wckey(name, user);
                }
            }
        }
        told.done(List.of());
    }

    private boolean hasWckey(String user, String name) {
        return draft.wckeys.values().stream()
                .anyMatch(key -> key.user().equals(user) && key.name().equals(name));
    }

    private void modify(AccountsChange.Modify modify) {
        var where = modify.where();
        if (where.isEmpty() && modify.entity() != AccountsEntity.CLUSTER) {
            throw refused(
                    ErrorCode.INVALID_REQUEST,
                    "nothing says which: give names or another condition");
        }
        switch (modify.entity()) {
            case QOS -> modifyQos(where, modify.settings());
            case USER -> {
                modifyUsers(where, modify.settings());
                modifyAssociations(usersAssociations(where), where, modify.settings(), false);
            }
            case ACCOUNT -> {
                modifyAccounts(where, modify.settings());
                modifyAssociations(accountsAssociations(where), where, modify.settings(), false);
            }
            case ASSOCIATION ->
                    modifyAssociations(associations(where), where, modify.settings(), false);
            case CLUSTER ->
                    modifyAssociations(
                            List.of(draft.associations.get(Association.ROOT)),
                            where,
                            modify.settings(),
                            true);
            case COORDINATOR, WCKEY ->
                    throw refused(ErrorCode.INVALID_REQUEST, "there is nothing to set of these");
        }
    }

    private void modifyQos(AccountsSelector where, List<AccountSetting> settings) {
        require(Role.ADMIN);
        var told = new News("Modify QOS", where.text());
        for (var one : List.copyOf(draft.qos.values())) {
            if (where.names().contains(one.name())) {
                settings.forEach(setting -> setOfQos(one.id(), setting));
                told.qos(one.id());
            }
        }
        told.done(settings);
    }

    private void modifyUsers(AccountsSelector where, List<AccountSetting> settings) {
        var own = settings.stream().filter(AccountsEditor::isOfUser).toList();
        if (own.isEmpty()) {
            return;
        }
        var told = new News("Modify Users", where.text());
        for (var user : List.copyOf(draft.users.values())) {
            if (isMeant(user, where)) {
                own.forEach(setting -> setOfUser(user.name(), setting, false));
                told.user(user.name());
            }
        }
        told.done(own);
    }

    private boolean isMeant(User user, AccountsSelector where) {
        return AccountsSelector.allows(where.names(), user.name())
                && AccountsSelector.allows(where.users(), user.name())
                && AccountsSelector.allows(where.defaultAccounts(), user.defaultAccount())
                && AccountsSelector.allows(where.adminLevels(), user.adminLevel())
                && (where.accounts().isEmpty()
                        || draft.ofUser(user.name()).stream()
                                .anyMatch(one -> where.accounts().contains(one.account())));
    }

    private void modifyAccounts(AccountsSelector where, List<AccountSetting> settings) {
        var own = settings.stream().filter(AccountsEditor::isOfAccount).toList();
        if (own.isEmpty()) {
            return;
        }
        require(Role.OPERATOR);
        var told = new News("Modify Accounts", where.text());
        for (var association : accountsAssociations(where)) {
            var account = requireAccount(association.account());
            own.forEach(setting -> set(draft.accounts.get(account.name()), setting));
            told.account(account.name());
        }
        told.done(own);
    }

    private void modifyAssociations(
            List<Association> chosen,
            AccountsSelector where,
            List<AccountSetting> settings,
            boolean isCluster) {
        var own = settings.stream().filter(AccountsEditor::isOfAssociation).toList();
        if (own.isEmpty()) {
            return;
        }
        var told = new News("Modify Associations", isCluster ? "cluster" : where.text());
        for (var association : chosen) {
            requireMayModify(association, own);
            own.forEach(setting -> set(association.id(), setting));
            told.association(association.id());
        }
        if (own.stream().anyMatch(AccountsEditor::isInherited)) {
            var children = draft.children();
            chosen.forEach(one -> heirs(one, own, children, told));
        }
        chosen.forEach(one -> requireDefaultQosAllowed(one.id()));
        told.done(own);
    }

    /// Slurm shows those, too, for whom something else counts now. Nothing of them is changed, so
    /// however many there are is no reason to refuse: the first ones are shown.
    private void heirs(
            Association above,
            List<AccountSetting> settings,
            Map<Integer, List<Association>> children,
            News told) {
        for (var child : children.getOrDefault(above.id(), List.of())) {
            if (affected.size() >= MOST_HEIRS_SHOWN) {
                return;
            }
            if (settings.stream().anyMatch(setting -> inherits(child, setting))) {
                told.association(child.id());
                heirs(child, settings, children, told);
            }
        }
    }

    private static boolean inherits(Association child, AccountSetting setting) {
        return switch (setting) {
            case AccountSetting.SetCount(var limit, _) ->
                    limit.isInherited() && child.limits().count(limit) == null;
            case AccountSetting.SetTres(var limit, _) ->
                    limit.isInherited() && child.limits().amounts(limit).isEmpty();
            case AccountSetting.SetAllowedQos _ -> child.qos().isEmpty();
            case AccountSetting.SetDefaultQos _ -> child.defaultQos() == 0;
            case AccountSetting.SetShares _,
                    AccountSetting.SetPriority _,
                    AccountSetting.SetParent _,
                    AccountSetting.SetComment _,
                    AccountSetting.SetDescription _,
                    AccountSetting.SetOrganization _,
                    AccountSetting.SetDefaultAccount _,
                    AccountSetting.SetDefaultWckey _,
                    AccountSetting.SetAdminLevel _,
                    AccountSetting.SetQosPriority _,
                    AccountSetting.SetFlags _,
                    AccountSetting.SetUsageFactor _,
                    AccountSetting.SetUsageThreshold _,
                    AccountSetting.SetPreempt _,
                    AccountSetting.SetPreemptMode _,
                    AccountSetting.SetGrace _,
                    AccountSetting.SetPreemptExempt _,
                    AccountSetting.ForgetUsage _ ->
                    false;
        };
    }

    private static boolean isInherited(AccountSetting setting) {
        return switch (setting) {
            case AccountSetting.SetCount(var limit, _) -> limit.isInherited();
            case AccountSetting.SetTres(var limit, _) -> limit.isInherited();
            case AccountSetting other ->
                    other instanceof AccountSetting.SetAllowedQos
                            || other instanceof AccountSetting.SetDefaultQos;
        };
    }

    private List<Association> usersAssociations(AccountsSelector where) {
        return draft.associations.values().stream()
                .filter(Association::isUser)
                .filter(one ->
                        AccountsSelector.allows(where.names(), one.user()) && matches(one, where))
                .toList();
    }

    private List<Association> accountsAssociations(AccountsSelector where) {
        return draft.associations.values().stream()
                .filter(one -> !one.isUser())
                .filter(one ->
                        AccountsSelector.allows(where.names(), one.account())
                                && matches(one, where))
                .toList();
    }

    private List<Association> associations(AccountsSelector where) {
        return draft.associations.values().stream().filter(one -> matches(one, where)).toList();
    }

    private boolean matches(Association one, AccountsSelector where) {
        var user = draft.users.get(one.user());
        return AccountsSelector.allows(where.accounts(), one.account())
                && AccountsSelector.allows(where.users(), one.user())
                && AccountsSelector.allows(where.partitions(), one.partition())
                && AccountsSelector.allows(where.associations(), one.id())
                && AccountsSelector.allows(where.parents(), draft.parentAccount(one))
                && (where.defaultAccounts().isEmpty()
                        || user != null && where.defaultAccounts().contains(user.defaultAccount()))
                && (where.adminLevels().isEmpty()
                        || user != null && where.adminLevels().contains(user.adminLevel()));
    }

    private void delete(AccountsChange.Delete delete) {
        var where = delete.where();
        if (where.isEmpty()) {
            throw refused(
                    ErrorCode.INVALID_REQUEST,
                    "nothing says which: give names or another condition");
        }
        switch (delete.entity()) {
            case ACCOUNT -> deleteAccounts(where);
            case USER -> deleteUsers(where);
            case ASSOCIATION -> deleteAssociations(associations(where), where);
            case QOS -> deleteQos(where);
            case COORDINATOR -> deleteCoordinators(where);
            case WCKEY -> deleteWckeys(where);
            case CLUSTER ->
                    throw refused(
                            ErrorCode.INVALID_REQUEST,
                            "the cluster itself cannot be deleted from its own controllers");
        }
    }

    private void deleteAccounts(AccountsSelector where) {
        var told = new News("Remove Accounts", where.text());
        var doomed = accountsAssociations(where);
        // Those below go first, so that a whole branch can be named at once.
        var ordered = new ArrayList<>(doomed);
        ordered.sort((one, other) -> Integer.compare(depth(other), depth(one)));
        var going = new TreeSet<Integer>();
        for (var association : doomed) {
            going.add(association.id());
            draft.below(association.id()).forEach(one -> going.add(one.id()));
        }
        for (var association : ordered) {
            var name = association.account();
            if (name.equals(Account.ROOT)) {
                throw refused(ErrorCode.INVALID_ACCOUNT, "the account root cannot be deleted");
            }
            requireMayDelete(association);
            for (var child : draft.below(association.id())) {
                if (!child.isUser()) {
                    throw refused(
                            ErrorCode.INVALID_ACCOUNT,
                            "account %s has the account %s below it. Delete or move that first",
                            name,
                            child.account());
                }
                remove(child, told, going);
            }
            remove(association, told, going);
            draft.accounts.remove(name);
            affected.add(AffectedEntity.named(AccountsEntity.ACCOUNT, name));
        }
        told.done(List.of());
    }

    private boolean isTooMany(Accounts before) {
        var most = actor.role().atLeast(Role.OPERATOR) ? MOST_ASSOCIATIONS : MOST_ASSOCIATIONS / 2;
        var now = draft.associations.size();
        return now > most && now > before.associations().size();
    }

    /// Looked at for accounts only; their users are one below.
    private boolean isTooDeep() {
        return draft.associations.values().stream()
                .filter(one -> !one.isUser())
                .anyMatch(one -> depth(one) > DEEPEST);
    }

    private int depth(Association association) {
        var depth = 0;
        for (@Nullable Association at = association;
                at != null;
                at = draft.associations.get(at.parent())) {
            depth++;
        }
        return depth;
    }

    /// From the accounts that were named, or altogether.
    private void deleteUsers(AccountsSelector where) {
        if (!where.accounts().isEmpty() || !where.partitions().isEmpty()) {
            deleteAssociations(usersAssociations(where), where);
            return;
        }
        var told = new News("Remove Users", where.text());
        for (var user : List.copyOf(draft.users.values())) {
            if (isMeant(user, where)) {
                require(Role.OPERATOR);
                if (user.name().equals("root")) {
                    throw refused(ErrorCode.INVALID_USER, "the user root cannot be deleted");
                }
                draft.ofUser(user.name()).forEach(one -> removeOne(one, told));
                forget(user.name());
                affected.add(AffectedEntity.named(AccountsEntity.USER, user.name()));
            }
        }
        told.done(List.of());
    }

    private void forget(String user) {
        draft.users.remove(user);
        draft.wckeys.values().removeIf(key -> key.user().equals(user));
        for (var account : List.copyOf(draft.accounts.values())) {
            if (account.coordinators().contains(user)) {
                draft.accounts.put(account.name(), account.withoutCoordinator(user));
            }
        }
    }

    private void deleteAssociations(List<Association> doomed, AccountsSelector where) {
        var told = new News("Remove Associations", where.text());
        var numbers = new TreeSet<Integer>();
        doomed.forEach(one -> numbers.add(one.id()));
        for (var association : doomed) {
            if (!association.isUser()) {
                throw refused(
                        ErrorCode.INVALID_REQUEST,
                        "the association of account %s goes with the account. Delete that",
                        association.account());
            }
            requireMayDelete(association);
            affected.add(affected(association));
            remove(association, told, numbers);
        }
        told.done(List.of());
    }

    /// @param others that go at the same time
    private void remove(Association association, News told, Set<Integer> others) {
        var user = draft.users.get(association.user());
        if (user != null && user.defaultAccount().equals(association.account())) {
            var left =
                    draft.ofUser(user.name()).stream()
                            .filter(one ->
                                    !others.contains(one.id()) && one.id() != association.id())
                            .toList();
            if (left.stream().noneMatch(one -> one.account().equals(user.defaultAccount()))
                    && !left.isEmpty()) {
                throw refused(
                        ErrorCode.NO_REMOVE_DEFAULT_ACCOUNT,
                        "%s is the default account of user %s. Give him another one first: sacctmgr modify user %s set DefaultAccount=",
                        association.account(),
                        user.name(),
                        user.name());
            }
        }
        removeOne(association, told);
        if (user != null && draft.ofUser(user.name()).isEmpty() && mayForget(user)) {
            forget(user.name());
        }
    }

    /// With its last association a user goes, and his rights with him: a coordinator takes nobody's
    /// rights over the cluster.
    private boolean mayForget(User user) {
        return user.adminLevel() == Role.USER || actor.role().atLeast(Role.OPERATOR);
    }

    private void removeOne(Association association, News told) {
        var job = inUse.jobOfAssociation(association.id());
        if (job != null) {
            throw refused(
                    ErrorCode.JOBS_RUNNING_ON_ASSOCIATION,
                    "%s: job %s of A = %s U = %s",
                    ErrorCode.JOBS_RUNNING_ON_ASSOCIATION.text(),
                    job,
                    association.account(),
                    association.user());
        }
        draft.remove(association);
        told.deleted.add(association.id());
    }

    private void deleteQos(AccountsSelector where) {
        require(Role.ADMIN);
        var told = new News("Remove QOS", where.text());
        for (var one : List.copyOf(draft.qos.values())) {
            if (!where.names().contains(one.name())) {
                continue;
            }
            var job = inUse.jobOfQos(one.id());
            if (job != null) {
                throw refused(
                        ErrorCode.JOBS_RUNNING_ON_ASSOCIATION,
                        "%s: job %s of QOS %s",
                        ErrorCode.JOBS_RUNNING_ON_ASSOCIATION.text(),
                        job,
                        one.name());
            }
            draft.qos.remove(one.id());
            forgetQosUsage.add(one.id());
            for (var association : List.copyOf(draft.associations.values())) {
                var changed = without(association, one.id());
                if (changed != association) {
                    draft.put(changed);
                    told.associations.add(changed.id());
                }
            }
            for (var other : List.copyOf(draft.qos.values())) {
                if (other.preempt().contains(one.id())) {
                    draft.qos.put(
                            other.id(),
                            other.withPreemption(
                                    other.preempt().stream()
                                            .filter(number -> number != one.id())
                                            .toList(),
                                    other.preemptMode(),
                                    other.graceSeconds(),
                                    other.preemptExemptSeconds()));
                }
            }
            affected.add(AffectedEntity.named(AccountsEntity.QOS, one.name()));
        }
        told.done(List.of());
    }

    private static Association without(Association association, int qos) {
        var changed = association;
        if (association.qos().contains(qos)) {
            changed =
                    changed.withQos(
                            association.qos().stream().filter(number -> number != qos).toList());
        }
        return association.defaultQos() == qos ? changed.withDefaultQos(0) : changed;
    }

    private void deleteCoordinators(AccountsSelector where) {
        var told = new News("Remove Account Coordinators", where.text());
        var users = where.names().isEmpty() ? where.users() : where.names();
        for (var account : List.copyOf(draft.accounts.values())) {
            if (!AccountsSelector.allows(where.accounts(), account.name())) {
                continue;
            }
            for (var user : account.coordinators()) {
                if (AccountsSelector.allows(users, user)) {
                    requireCoordinator(account.name());
                    draft.accounts.computeIfPresent(
                            account.name(), (_, known) -> known.withoutCoordinator(user));
                    told.coordinator(account.name(), user);
                }
            }
        }
        told.done(List.of());
    }

    private void deleteWckeys(AccountsSelector where) {
        require(Role.OPERATOR);
        var told = new News("Remove WCKeys", where.text());
        for (var key : List.copyOf(draft.wckeys.values())) {
            if (AccountsSelector.allows(where.names(), key.name())
                    && AccountsSelector.allows(where.users(), key.user())) {
                draft.wckeys.remove(key.id());
                draft.users.computeIfPresent(
                        key.user(),
                        (_, user) ->
                                user.defaultWckey().equals(key.name())
                                        ? user.withDefaultWckey("")
                                        : user);
                told.wckey(key.name(), key.user());
            }
        }
        told.done(List.of());
    }

    private static boolean isOfUser(AccountSetting setting) {
        return setting instanceof AccountSetting.SetDefaultAccount
                || setting instanceof AccountSetting.SetDefaultWckey
                || setting instanceof AccountSetting.SetAdminLevel;
    }

    private static boolean isOfAccount(AccountSetting setting) {
        return setting instanceof AccountSetting.SetDescription
                || setting instanceof AccountSetting.SetOrganization;
    }

    private static boolean isOfAssociation(AccountSetting setting) {
        return setting instanceof AccountSetting.SetCount
                || setting instanceof AccountSetting.SetTres
                || setting instanceof AccountSetting.SetShares
                || setting instanceof AccountSetting.SetPriority
                || setting instanceof AccountSetting.SetAllowedQos
                || setting instanceof AccountSetting.SetDefaultQos
                || setting instanceof AccountSetting.SetParent
                || setting instanceof AccountSetting.SetComment
                || setting instanceof AccountSetting.ForgetUsage;
    }

    private void set(@Nullable Account account, AccountSetting setting) {
        if (account == null) {
            return;
        }
        if (setting instanceof AccountSetting.SetDescription(var text)) {
            draft.accounts.put(account.name(), account.withDescription(text));
        } else if (setting instanceof AccountSetting.SetOrganization(var text)) {
            draft.accounts.put(account.name(), account.withOrganization(text));
        }
    }

    private void setOfUser(String name, AccountSetting setting, boolean isNew) {
        var user = requireUser(name);
        var isOwn = actor.userName().equals(name);
        switch (setting) {
            case AccountSetting.SetDefaultAccount(var account) -> {
                if (!isNew && !isOwn) {
                    require(Role.OPERATOR);
                }
                requireAssociation(name, account);
                draft.users.put(name, user.withDefaultAccount(account));
            }
            case AccountSetting.SetDefaultWckey(var wckey) -> {
                if (!isNew && !isOwn) {
                    require(Role.OPERATOR);
                }
                if (!wckey.isEmpty() && !hasWckey(name, wckey)) {
                    require(Role.OPERATOR); // as for adding one
                    checkName(wckey);
                    draft.addWckey(wckey, name);
                }
                draft.users.put(name, user.withDefaultWckey(wckey));
            }
            case AccountSetting.SetAdminLevel(var level) -> {
                if (level != user.adminLevel()) {
                    require(Role.ADMIN);
                    draft.users.put(name, user.withAdminLevel(level));
                }
            }
            case AccountSetting other -> {
                if (isOfUser(other)) {
                    throw new IllegalStateException(other.line());
                }
            }
        }
    }

    private void requireAssociation(String user, String account) {
        if (draft.ofUser(user).stream().noneMatch(one -> one.account().equals(account))) {
            throw refused(
                    ErrorCode.INVALID_ACCOUNT,
                    "user %s is not associated with account %s. Add him first: sacctmgr add user %s account=%s",
                    user,
                    account,
                    user,
                    account);
        }
    }

    private void set(int id, AccountSetting setting) {
        var association = draft.associations.get(id);
        if (association == null || !isOfAssociation(setting)) {
            return;
        }
        switch (setting) {
            case AccountSetting.SetCount(var limit, var value) ->
                    draft.put(association.with(association.limits().with(limit, value)));
            case AccountSetting.SetTres(var limit, var amounts) ->
                    draft.put(association.with(association.limits().with(limit, amounts)));
            case AccountSetting.SetShares(var shares) -> draft.put(association.with(shares));
            case AccountSetting.SetPriority(var priority) ->
                    draft.put(association.withPriority(priority));
            case AccountSetting.SetAllowedQos(var way, var names) -> {
                var qos = numbers(names);
                if (way != AccountSetting.Way.REMOVE) {
                    requireOwnQos(association, qos);
                }
                draft.put(association.withQos(changed(draft.qosInForce(association), way, qos)));
            }
            case AccountSetting.SetDefaultQos(var name) ->
                    draft.put(association.withDefaultQos(name.isEmpty() ? 0 : number(name)));
            case AccountSetting.SetParent(var account) -> move(association, account);
            case AccountSetting.SetComment(var text) -> draft.put(association.withComment(text));
            case AccountSetting.ForgetUsage _ -> forgetUsage.add(id);
            case AccountSetting other -> throw new IllegalStateException(other.line());
        }
    }

    private void move(Association association, String account) {
        var above = draft.association(account, "", "");
        if (above == null) {
            throw refused(
                    ErrorCode.INVALID_ACCOUNT, "there is no account %s to be the parent", account);
        }
        if (association.isUser() || association.id() == Association.ROOT) {
            throw refused(ErrorCode.INVALID_ACCOUNT, "only accounts other than root have a parent");
        }
        if (draft.isWithin(above, association)) {
            throw refused(
                    ErrorCode.INVALID_ACCOUNT,
                    "account %s is below %s, so it cannot be its parent",
                    account,
                    association.account());
        }
        requireCoordinator(account);
        draft.put(association.withParent(above.id()));
    }

    private void setOfQos(int id, AccountSetting setting) {
        var qos = draft.qos.get(id);
        if (qos == null) {
            return;
        }
        UnaryOperator<Qos> change =
                switch (setting) {
                    case AccountSetting.SetCount(var limit, var value) ->
                            one -> one.with(one.limits().with(limit, value));
                    case AccountSetting.SetTres(var limit, var amounts) ->
                            one -> one.with(one.limits().with(limit, amounts));
                    case AccountSetting.SetDescription(var text) ->
                            one -> one.withDescription(text);
                    case AccountSetting.SetQosPriority(var number) ->
                            one -> one.withPriority(number);
                    case AccountSetting.SetFlags(var way, var flags) ->
                            one -> one.withFlags(new TreeSet<>(changed(one.flags(), way, flags)));
                    case AccountSetting.SetUsageFactor(var factor) ->
                            one -> one.withUsage(factor, one.usageThreshold());
                    case AccountSetting.SetUsageThreshold(var threshold) ->
                            one -> one.withUsage(one.usageFactor(), threshold);
                    case AccountSetting.SetPreempt(var way, var names) ->
                            one ->
                                    one.withPreemption(
                                            changed(one.preempt(), way, numbers(names)),
                                            one.preemptMode(),
                                            one.graceSeconds(),
                                            one.preemptExemptSeconds());
                    case AccountSetting.SetPreemptMode(var mode) ->
                            one ->
                                    one.withPreemption(
                                            one.preempt(),
                                            mode,
                                            one.graceSeconds(),
                                            one.preemptExemptSeconds());
                    case AccountSetting.SetGrace(var seconds) ->
                            one ->
                                    one.withPreemption(
                                            one.preempt(),
                                            one.preemptMode(),
                                            seconds,
                                            one.preemptExemptSeconds());
                    case AccountSetting.SetPreemptExempt(var seconds) ->
                            one ->
                                    one.withPreemption(
                                            one.preempt(),
                                            one.preemptMode(),
                                            one.graceSeconds(),
                                            seconds);
                    case AccountSetting.ForgetUsage _ -> {
                        forgetQosUsage.add(id);
                        yield UnaryOperator.identity();
                    }
                    case AccountSetting other ->
                            throw refused(
                                    ErrorCode.INVALID_REQUEST, "a QOS has no %s", other.line());
                };
        draft.qos.put(id, change.apply(qos));
    }

    private static <T> List<T> changed(List<T> before, AccountSetting.Way way, List<T> values) {
        var all = new LinkedHashSet<T>(way == AccountSetting.Way.SET ? List.of() : before);
        if (way == AccountSetting.Way.REMOVE) {
            values.forEach(all::remove);
        } else {
            all.addAll(values);
        }
        return List.copyOf(all);
    }

    private List<Integer> numbers(List<String> names) {
        return names.stream().map(this::number).toList();
    }

    private int number(String qos) {
        var known = draft.qos(qos);
        if (known == null) {
            throw refused(
                    ErrorCode.INVALID_QOS,
                    "there is no QOS %s. See those there are: sacctmgr show qos",
                    qos);
        }
        return known.id();
    }

    /// A coordinator hands on what he, or else the account, may use, and nothing beyond.
    private void requireOwnQos(Association association, List<Integer> qos) {
        if (actor.role().atLeast(Role.OPERATOR)) {
            return;
        }
        var account =
                association.isUser() ? association.account() : draft.parentAccount(association);
        var own = draft.association(account, actor.userName(), "");
        var source = own == null ? draft.association(account, "", "") : own;
        var allowed = source == null ? List.<Integer>of() : draft.qosInForce(source);
        if (!allowed.containsAll(qos)) {
            throw denied();
        }
    }

    private void requireDefaultQosAllowed(int id) {
        var association = draft.associations.get(id);
        if (association == null) {
            return;
        }
        var usual = draft.defaultQosInForce(association);
        if (usual != 0 && !draft.qosInForce(association).contains(usual)) {
            var qos = draft.qos.get(usual);
            throw refused(
                    ErrorCode.INVALID_QOS,
                    "account %s%s would not have access to its default QOS %s. Allow it first: QOS+=%s",
                    association.account(),
                    association.isUser() ? " user " + association.user() : "",
                    qos == null ? usual : qos.name(),
                    qos == null ? usual : qos.name());
        }
    }

    /// A coordinator manages who is below his account, not what his account gets.
    private void requireMayModify(Association association, List<AccountSetting> settings) {
        if (actor.role().atLeast(Role.OPERATOR)) {
            return;
        }
        var isOwnDefault =
                association.user().equals(actor.userName())
                        && settings.stream()
                                .allMatch(one -> one instanceof AccountSetting.SetDefaultQos);
        var account =
                association.isUser() ? association.account() : draft.parentAccount(association);
        if (!isOwnDefault && !draft.isCoordinator(actor.userName(), account)) {
            throw denied();
        }
    }

    private void requireMayDelete(Association association) {
        requireCoordinator(
                association.isUser() ? association.account() : draft.parentAccount(association));
    }

    private void requireCoordinator(String account) {
        if (!actor.role().atLeast(Role.OPERATOR)
                && !draft.isCoordinator(actor.userName(), account)) {
            throw denied();
        }
    }

    private void require(Role role) {
        if (!actor.role().atLeast(role)) {
            throw denied();
        }
    }

    private static RefusedException denied() {
        return new RefusedException(ErrorCode.ACCESS_DENIED, ErrorCode.ACCESS_DENIED.text());
    }

    private Account requireAccount(String name) {
        var account = draft.accounts.get(name);
        if (account == null) {
            throw refused(
                    ErrorCode.INVALID_ACCOUNT,
                    "there is no account %s. See those there are: sacctmgr show account",
                    name);
        }
        return account;
    }

    private User requireUser(String name) {
        var user = draft.users.get(name);
        if (user == null) {
            throw refused(
                    ErrorCode.INVALID_USER,
                    "accounting knows no user %s. Add him to an account first: sacctmgr add user",
                    name);
        }
        return user;
    }

    /// What would be taken apart where names stand in lists, or on a command line.
    private static void checkName(String name) {
        var isGood =
                !name.isEmpty()
                        && name.length() <= LONGEST_NAME
                        && name.chars()
                                .allMatch(c ->
                                        Character.isLetterOrDigit(c) || "._-@+$\\".indexOf(c) >= 0)
                        && name.charAt(0) != '-';
        if (!isGood) {
            throw refused(
                    ErrorCode.BAD_NAME,
                    "%s: \"%s\" may have letters, digits and . _ - @ + only",
                    ErrorCode.BAD_NAME.text(),
                    name.length() > LONGEST_NAME ? name.substring(0, 32) + "…" : name);
        }
    }

    private static RefusedException refused(ErrorCode code, String text, Object... parts) {
        return new RefusedException(code, Text.of(text, parts));
    }

    private AffectedEntity affected(Association association) {
        return new AffectedEntity(
                AccountsEntity.ASSOCIATION,
                "",
                association.account(),
                association.user(),
                association.partition(),
                association.isUser() ? "" : draft.parentAccount(association));
    }

    /// What one change does, until it is told.
    private final class News {
        private final String action;
        private final String where;
        private final Set<Integer> associations = new LinkedHashSet<>();
        private final Set<Integer> deleted = new LinkedHashSet<>();
        private final Set<String> accounts = new LinkedHashSet<>();
        private final Set<String> users = new LinkedHashSet<>();
        private final Set<Integer> qos = new LinkedHashSet<>();
        private final int before = affected.size();

        News(String action, String where) {
            this.action = action;
            this.where = where;
        }

        void account(String name) {
            if (accounts.add(name)) {
                affected.add(AffectedEntity.named(AccountsEntity.ACCOUNT, name));
            }
        }

        void user(String name) {
            if (users.add(name)) {
                affected.add(AffectedEntity.named(AccountsEntity.USER, name));
            }
        }

        void association(int id) {
            var known = draft.associations.get(id);
            if (known != null && associations.add(id)) {
                affected.add(AccountsEditor.this.affected(known));
            }
        }

        void qos(int id) {
            var known = draft.qos.get(id);
            if (known != null && qos.add(id)) {
                affected.add(AffectedEntity.named(AccountsEntity.QOS, known.name()));
            }
        }

        void coordinator(String account, String user) {
            accounts.add(account);
            affected.add(
                    new AffectedEntity(AccountsEntity.COORDINATOR, user, account, user, "", ""));
        }

        void wckey(String name, String user) {
            users.add(user);
            affected.add(new AffectedEntity(AccountsEntity.WCKEY, name, "", user, "", ""));
        }

        void done(List<AccountSetting> settings) {
            if (affected.size() == before && deleted.isEmpty()) {
                return;
            }
            news.add(
                    new AccountsNews(
                            action,
                            where,
                            String.join(",", settings.stream().map(AccountSetting::line).toList()),
                            associations.stream()
                                    .flatMap(id -> some(draft.associations.get(id)))
                                    .toList(),
                            List.copyOf(deleted),
                            accounts.stream()
                                    .flatMap(name -> some(draft.accounts.get(name)))
                                    .toList(),
                            users.stream().flatMap(name -> some(draft.users.get(name))).toList(),
                            qos.stream().flatMap(id -> some(draft.qos.get(id))).toList()));
        }

        private <T> Stream<T> some(@Nullable T value) {
            return Stream.ofNullable(value);
        }
    }
}
