package dev.spur.controller;

import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AccountsEntity;
import dev.spur.api.v1.AccountsGrpc.AccountsBlockingStub;
import dev.spur.api.v1.AccountsSelector;
import dev.spur.api.v1.AddAccounts;
import dev.spur.api.v1.AddQos;
import dev.spur.api.v1.AddUsers;
import dev.spur.api.v1.ChangeAccountsReply;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.ListAccountsRequest;
import dev.spur.api.v1.ModifyEntities;
import dev.spur.api.v1.Setting;
import java.util.List;

/// What sacctmgr and sshare would ask.
final class AccountCalls {
    private AccountCalls() {}

    static ChangeAccountsReply change(AccountsBlockingStub who, AccountsChange... changes) {
        return who.changeAccounts(
                ChangeAccountsRequest.newBuilder().addAllChanges(List.of(changes)).build());
    }

    static Setting set(String key, String value) {
        return Setting.newBuilder().setKey(key).setOperator("=").setValue(value).build();
    }

    static AccountsChange account(String name, String parent, Setting... settings) {
        return AccountsChange.newBuilder()
                .setAddAccounts(
                        AddAccounts.newBuilder()
                                .addNames(name)
                                .setParent(parent)
                                .addAllSettings(List.of(settings)))
                .build();
    }

    static AccountsChange user(String name, String account, Setting... settings) {
        return AccountsChange.newBuilder()
                .setAddUsers(
                        AddUsers.newBuilder()
                                .addNames(name)
                                .addAccounts(account)
                                .addAllSettings(List.of(settings)))
                .build();
    }

    static AccountsChange modify(AccountsEntity entity, String name, Setting... settings) {
        return AccountsChange.newBuilder()
                .setModify(
                        ModifyEntities.newBuilder()
                                .setEntity(entity)
                                .setWhere(AccountsSelector.newBuilder().addNames(name))
                                .addAllSet(List.of(settings)))
                .build();
    }

    static AccountsChange qos(String name, Setting... settings) {
        return AccountsChange.newBuilder()
                .setAddQos(AddQos.newBuilder().addNames(name).addAllSettings(List.of(settings)))
                .build();
    }

    static ListAccountsReply list(AccountsBlockingStub who) {
        var whole = ListAccountsReply.newBuilder();
        who.listAccounts(ListAccountsRequest.newBuilder().setUsage(true).build())
                .forEachRemaining(whole::mergeFrom);
        return whole.build();
    }
}
