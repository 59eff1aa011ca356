package dev.spur.rest.slurm;

import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.QosView;
import dev.spur.api.view.AccountTables;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.SlurmLayout;
import dev.spur.rest.cluster.AccountBook;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Accounts, users, associations, QOS, and what else the database of Slurm has.
final class AccountListing {
    private AccountListing() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurmdb_get_accounts", call -> accounts(call, ""));
        operations.put(
                "slurmdb_get_account",
                call -> accounts(call, call.request().value("account_name")));
        operations.put("slurmdb_get_users", call -> users(call, ""));
        operations.put("slurmdb_get_user", call -> users(call, call.request().value("name")));
        operations.put("slurmdb_get_associations", AccountListing::associations);
        operations.put("slurmdb_get_association", AccountListing::associations);
        operations.put("slurmdb_get_qos", call -> qos(call, ""));
        operations.put("slurmdb_get_single_qos", call -> qos(call, call.request().value("qos")));
        operations.put("slurmdb_get_wckeys", AccountListing::wckeys);
        operations.put("slurmdb_get_wckey", AccountListing::wckey);
        operations.put("slurmdb_get_tres", AccountListing::tres);
        operations.put("slurmdb_get_clusters", call -> clusters(call, ""));
        operations.put(
                "slurmdb_get_cluster",
                call -> clusters(call, call.request().value("cluster_name")));
        operations.put("slurmdb_get_instances", AccountListing::instances);
        operations.put("slurmdb_get_instance", AccountListing::instances);
        operations.put("slurmdb_get_config", AccountListing::config);
        operations.put("slurm_get_shares", AccountListing::shares);
    }

    private static AccountBook book(SlurmCall call) {
        return AccountBook.ask(call.cluster(), call.caller(), false);
    }

    private static <M> void write(
            JsonText json, String key, EntityTable<M> table, List<M> all, AccountBook book) {
        json.text(key).raw(':');
        SlurmLayout.of(table).writeAll(all, json, book.surroundings());
        json.raw(',');
    }

    private static <M> Reply list(
            SlurmCall call, String key, EntityTable<M> table, List<M> all, AccountBook book) {
        return call.answer(json -> write(json, key, table, all, book));
    }

    private static <M> void require(String name, List<M> found, String what) {
        if (!name.isEmpty() && found.isEmpty()) {
            throw Refusal.nothingFound(
                    "there is no %s of that name, or it is not yours to see".formatted(what));
        }
    }

    /// Whether a list of a parameter is empty or has the value.
    private static boolean admits(Request request, String parameter, String value) {
        var wanted = request.list(parameter);
        return wanted.isEmpty() || wanted.contains(value);
    }

    private static Reply accounts(SlurmCall call, String name) {
        var request = call.request();
        var book = book(call);
        var withAssociations = request.isSet("with_assocs") || request.isSet("WithAssociations");
        var found =
                book.accounts(withAssociations).stream()
                        .filter(each -> name.isEmpty() || each.view().getName().equals(name))
                        .filter(each ->
                                admits(request, "description", each.view().getDescription()))
                        .toList();
        require(name, found, "account");
        return list(call, "accounts", AccountTables.ACCOUNTS, found, book);
    }

    private static Reply users(SlurmCall call, String name) {
        var request = call.request();
        var book = book(call);
        var found =
                book.users(request.isSet("with_assocs"), request.isSet("with_wckeys")).stream()
                        .filter(each -> name.isEmpty() || each.view().getName().equals(name))
                        .filter(each ->
                                admits(request, "default_account", each.view().getDefaultAccount()))
                        .filter(each ->
                                admits(request, "default_wckey", each.view().getDefaultWckey()))
                        .filter(each -> admits(request, "admin_level", each.view().getAdminLevel()))
                        .toList();
        require(name, found, "user");
        return list(call, "users", AccountTables.USERS, found, book);
    }

    /// Those that a query means: the same for what is listed and what is deleted.
    static List<AssociationView> chosen(Request request, AccountBook book) {
        return book.all().getAssociationsList().stream()
                .filter(each -> admits(request, "account", each.getAccount()))
                .filter(each -> admits(request, "user", each.getUser()))
                .filter(each -> admits(request, "partition", each.getPartition()))
                .filter(each -> admits(request, "parent_account", each.getParentAccount()))
                .filter(each -> admits(request, "cluster", book.all().getCluster()))
                .filter(each -> admits(request, "default_qos", each.getDefaultQos()))
                .filter(each -> admits(request, "id", Integer.toUnsignedString(each.getId())))
                .filter(each ->
                        request.list("qos").isEmpty()
                                || request.list("qos").stream()
                                        .anyMatch(each.getQosList()::contains))
                .filter(each -> !request.isSet("Filter to only defaults") || each.getIsDefault())
                .toList();
    }

    private static Reply associations(SlurmCall call) {
        var book = book(call);
        return list(
                call,
                "associations",
                AccountTables.ASSOCIATIONS,
                chosen(call.request(), book),
                book);
    }

    private static Reply qos(SlurmCall call, String name) {
        var request = call.request();
        var book = book(call);
        List<QosView> found =
                book.all().getQosList().stream()
                        .filter(each ->
                                name.isEmpty()
                                        || each.getName().equals(name)
                                        || name.equals(Integer.toUnsignedString(each.getId())))
                        .filter(each -> admits(request, "name", each.getName()))
                        .filter(each -> admits(request, "description", each.getDescription()))
                        .filter(each ->
                                admits(request, "id", Integer.toUnsignedString(each.getId())))
                        .toList();
        require(name, found, "QOS");
        return list(call, "qos", AccountTables.QOS, found, book);
    }

    private static Reply wckeys(SlurmCall call) {
        var request = call.request();
        var book = book(call);
        var found =
                book.all().getWckeysList().stream()
                        .filter(each -> admits(request, "name", each.getName()))
                        .filter(each -> admits(request, "user", each.getUser()))
                        .filter(each ->
                                admits(request, "id", Integer.toUnsignedString(each.getId())))
                        .filter(each -> !request.isSet("only_defaults") || each.getIsDefault())
                        .toList();
        return list(call, "wckeys", AccountTables.WCKEYS, found, book);
    }

    private static Reply wckey(SlurmCall call) {
        var id = call.request().value("id");
        var book = book(call);
        var found =
                book.all().getWckeysList().stream()
                        .filter(each -> id.equals(Integer.toUnsignedString(each.getId())))
                        .toList();
        require(id, found, "wckey");
        return list(call, "wckeys", AccountTables.WCKEYS, found, book);
    }

    private static Reply tres(SlurmCall call) {
        var book = book(call);
        return list(call, "TRES", AccountTables.TRES, book.all().getTresList(), book);
    }

    private static Reply clusters(SlurmCall call, String name) {
        var book = book(call);
        var own = book.all().getCluster();
        if (!name.isEmpty() && !name.equals(own)) {
            throw Refusal.nothingFound("there is no cluster of that name; this one is " + own);
        }
        return call.answer(json -> {
            json.raw("\"clusters\":[");
            cluster(json, call, book);
            json.raw("],");
        });
    }

    private static void cluster(JsonText json, SlurmCall call, AccountBook book) {
        var leader =
                call.cluster().ping(call.caller()).getControllersList().stream()
                        .filter(each -> each.getLeader())
                        .findFirst();
        json.raw("{\"controller\":{\"host\":").text(leader.map(each -> each.getHost()).orElse(""));
        json.raw(",\"port\":").number(leader.map(each -> port(each.getAddress())).orElse(0L));
        json.raw("},\"flags\":[],\"name\":").text(book.all().getCluster());
        json.raw(",\"nodes\":\"\",\"select_plugin\":\"\",\"associations\":{\"root\":{");
        json.raw("\"account\":\"root\",\"cluster\":").text(book.all().getCluster());
        json.raw(",\"partition\":\"\",\"user\":\"\",\"id\":1}},\"rpc_version\":0,\"tres\":");
        SlurmLayout.of(AccountTables.TRES)
                .writeAll(book.all().getTresList(), json, book.surroundings());
        json.raw('}');
    }

    private static long port(String address) {
        var colon = address.lastIndexOf(':');
        var text = address.substring(colon + 1);
        return colon >= 0 && text.matches("[0-9]{1,5}") ? Long.parseLong(text) : 0;
    }

    /// Machines that are rented by the hour: nothing here knows any.
    private static Reply instances(SlurmCall call) {
        return call.answer(json -> json.raw("\"instances\":[],"));
    }

    private static Reply config(SlurmCall call) {
        var book = book(call);
        return call.answer(json -> {
            json.raw("\"clusters\":[");
            cluster(json, call, book);
            json.raw("],");
            write(json, "tres", AccountTables.TRES, book.all().getTresList(), book);
            write(json, "accounts", AccountTables.ACCOUNTS, book.accounts(true), book);
            write(json, "users", AccountTables.USERS, book.users(true, true), book);
            write(json, "qos", AccountTables.QOS, book.all().getQosList(), book);
            write(json, "wckeys", AccountTables.WCKEYS, book.all().getWckeysList(), book);
            write(
                    json,
                    "associations",
                    AccountTables.ASSOCIATIONS,
                    book.all().getAssociationsList(),
                    book);
            json.raw("\"instances\":[],");
        });
    }

    private static Reply shares(SlurmCall call) {
        var request = call.request();
        var book = AccountBook.ask(call.cluster(), call.caller(), true);
        var found = new ArrayList<AssociationView>();
        for (var each : book.all().getAssociationsList()) {
            if (admits(request, "accounts", each.getAccount())
                    && (each.getUser().isEmpty() || admits(request, "users", each.getUser()))) {
                found.add(each);
            }
        }
        Function<AssociationView, String> group = AssociationView::getParentAccount;
        var total = found.stream().mapToLong(each -> each.getLimits().getShares()).sum();
        return call.answer(json -> {
            json.raw("\"shares\":{\"shares\":[");
            found.forEach(each -> {
                share(json, each, group.apply(each), book);
                json.raw(',');
            });
            json.withoutLastComma().raw("],\"total_shares\":").number(total).raw("},");
        });
    }

    private static void share(
            JsonText json, AssociationView each, String parent, AccountBook book) {
        var usage = each.getUsage();
        var isUser = !each.getUser().isEmpty();
        json.raw("{\"id\":").number(Integer.toUnsignedLong(each.getId()));
        json.raw(",\"cluster\":").text(book.all().getCluster());
        json.raw(",\"name\":").text(isUser ? each.getUser() : each.getAccount());
        json.raw(",\"parent\":").text(isUser ? each.getAccount() : parent);
        json.raw(",\"partition\":").text(each.getPartition());
        optional(json.raw(",\"shares_normalized\":"), usage.getNormShares());
        json.raw(",\"shares\":{\"set\":true,\"infinite\":false,\"number\":");
        json.number(each.getLimits().getShares()).raw("},\"tres\":{\"run_seconds\":[");
        usage.getTresRunSecondsMap()
                .forEach((name, seconds) -> {
                    json.raw("{\"name\":").text(name);
                    json.raw(",\"value\":{\"set\":true,\"infinite\":false,\"number\":");
                    json.number(seconds).raw("}},");
                });
        json.withoutLastComma().raw("],\"group_minutes\":[");
        each.getLimits()
                .getGrpTresMinutesMap()
                .forEach((name, minutes) -> {
                    json.raw("{\"name\":").text(name);
                    json.raw(",\"value\":{\"set\":true,\"infinite\":false,\"number\":");
                    json.number(minutes).raw("}},");
                });
        json.withoutLastComma().raw("],\"usage\":[");
        usage.getTresSecondsMap()
                .forEach((name, seconds) ->
                        json.raw("{\"name\":")
                                .text(name)
                                .raw(",\"value\":")
                                .decimal(seconds)
                                .raw("},"));
        json.withoutLastComma().raw("]}");
        optional(json.raw(",\"effective_usage\":"), usage.getEffective());
        optional(json.raw(",\"usage_normalized\":"), usage.getNormalized());
        json.raw(",\"usage\":").number(Math.round(usage.getRaw()));
        optional(json.raw(",\"fairshare\":{\"factor\":"), isUser ? usage.getFairShare() : 0);
        optional(json.raw(",\"level\":"), usage.getLevelFs());
        json.raw("},\"type\":[").text(isUser ? "USER" : "ASSOCIATION").raw("]}");
    }

    private static void optional(JsonText json, double number) {
        json.raw("{\"set\":true,\"infinite\":").flag(Double.isInfinite(number));
        json.raw(",\"number\":").decimal(number).raw('}');
    }
}
