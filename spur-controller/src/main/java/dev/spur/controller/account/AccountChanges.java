package dev.spur.controller.account;

import dev.spur.api.v1.AccountsChange.ChangeCase;
import dev.spur.api.v1.AffectedEntity;
import dev.spur.api.v1.ChangeAccountsReply;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.Setting;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.AccountsChange;
import dev.spur.engine.account.AccountsEntity;
import dev.spur.engine.account.AccountsSelector;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.ArrayList;
import java.util.List;

/// `sacctmgr add`, `modify` and `delete`.
final class AccountChanges {
    private final Proposals proposals;
    private final ReplicatedState state;

    AccountChanges(Proposals proposals, ReplicatedState state) {
        this.proposals = proposals;
        this.state = state;
    }

    ChangeAccountsReply change(ChangeAccountsRequest request, Caller.Person caller) {
        var settings = new AccountSettings(state.snapshot().tres());
        var changes = new ArrayList<AccountsChange>();
        for (var change : request.getChangesList()) {
            changes.add(toModel(change, settings));
        }
        var result =
                proposals.decide(at ->
                        new Command.ChangeAccounts(
                                at,
                                request.getRequestId(),
                                caller.actor(),
                                changes,
                                request.getExpectedRevision()));
        if (!(result instanceof Result.AccountsChanged(var affected))) {
            throw SpurErrors.unexpected(result);
        }
        var reply = ChangeAccountsReply.newBuilder();
        affected.forEach(one -> reply.addAffected(view(one)));
        return reply.build();
    }

    private static AccountsChange toModel(
            dev.spur.api.v1.AccountsChange change, AccountSettings settings) {
        return switch (change.getChangeCase()) {
            case ADD_ACCOUNTS -> {
                var add = change.getAddAccounts();
                yield new AccountsChange.AddAccounts(
                        add.getNamesList(),
                        add.getParent(),
                        read(settings, AccountsEntity.ACCOUNT, add.getSettingsList()));
            }
            case ADD_USERS -> {
                var add = change.getAddUsers();
                yield new AccountsChange.AddUsers(
                        add.getNamesList(),
                        add.getAccountsList(),
                        add.getPartitionsList(),
                        read(settings, AccountsEntity.USER, add.getSettingsList()));
            }
            case ADD_QOS -> {
                var add = change.getAddQos();
                yield new AccountsChange.AddQos(
                        add.getNamesList(),
                        read(settings, AccountsEntity.QOS, add.getSettingsList()));
            }
            case ADD_COORDINATORS ->
                    new AccountsChange.AddCoordinators(
                            change.getAddCoordinators().getAccountsList(),
                            change.getAddCoordinators().getUsersList());
            case ADD_WCKEYS ->
                    new AccountsChange.AddWckeys(
                            change.getAddWckeys().getNamesList(),
                            change.getAddWckeys().getUsersList());
            case MODIFY -> {
                var entity = toModel(change.getModify().getEntity());
                yield new AccountsChange.Modify(
                        entity,
                        toModel(change.getModify().getWhere()),
                        read(settings, entity, change.getModify().getSetList()));
            }
            case DELETE ->
                    new AccountsChange.Delete(
                            toModel(change.getDelete().getEntity()),
                            toModel(change.getDelete().getWhere()));
            case CHANGE_NOT_SET ->
                    throw new SpurException(
                            ErrorCode.INVALID_REQUEST,
                            "one of the changes is of a kind that this controller does not know (%s)"
                                    .formatted(ChangeCase.CHANGE_NOT_SET));
        };
    }

    private static List<AccountSetting> read(
            AccountSettings settings, AccountsEntity entity, List<Setting> texts) {
        return texts.stream().map(text -> settings.read(entity, text)).toList();
    }

    private static AccountsEntity toModel(dev.spur.api.v1.AccountsEntity entity) {
        return switch (entity) {
            case ACCOUNTS_ASSOCIATION -> AccountsEntity.ASSOCIATION;
            case ACCOUNTS_ACCOUNT -> AccountsEntity.ACCOUNT;
            case ACCOUNTS_USER -> AccountsEntity.USER;
            case ACCOUNTS_QOS -> AccountsEntity.QOS;
            case ACCOUNTS_COORDINATOR -> AccountsEntity.COORDINATOR;
            case ACCOUNTS_WCKEY -> AccountsEntity.WCKEY;
            case ACCOUNTS_CLUSTER -> AccountsEntity.CLUSTER;
            case UNRECOGNIZED ->
                    throw new SpurException(
                            ErrorCode.INVALID_REQUEST,
                            "the request names something that this controller does not know");
        };
    }

    private static AccountsSelector toModel(dev.spur.api.v1.AccountsSelector where) {
        return new AccountsSelector(
                where.getNamesList(),
                where.getAccountsList(),
                where.getUsersList(),
                where.getPartitionsList(),
                where.getAssociationIdsList(),
                where.getParentsList(),
                where.getDefaultAccountsList(),
                where.getAdminLevelsList().stream().map(AccountSettings::adminLevel).toList());
    }

    private static AffectedEntity view(dev.spur.engine.account.AffectedEntity one) {
        return AffectedEntity.newBuilder()
                .setEntity(
                        switch (one.entity()) {
                            case ASSOCIATION -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_ASSOCIATION;
                            case ACCOUNT -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_ACCOUNT;
                            case USER -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_USER;
                            case QOS -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_QOS;
                            case COORDINATOR -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_COORDINATOR;
                            case WCKEY -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_WCKEY;
                            case CLUSTER -> dev.spur.api.v1.AccountsEntity.ACCOUNTS_CLUSTER;
                        })
                .setName(one.name())
                .setAccount(one.account())
                .setUser(one.user())
                .setPartition(one.partition())
                .setParent(one.parent())
                .build();
    }
}
