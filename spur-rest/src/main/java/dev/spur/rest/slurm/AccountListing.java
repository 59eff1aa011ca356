package dev.spur.rest.slurm;

import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.QosView;
import dev.spur.api.view.AccountTables;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.ShareTable;
import dev.spur.api.view.SlurmLayout;
import dev.spur.rest.cluster.AccountBook;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
        return list(call, "clusters", AccountTables.CLUSTERS, List.of(cluster(call, book)), book);
    }

    private static AccountTables.Cluster cluster(SlurmCall call, AccountBook book) {
        return AccountTables.Cluster.of(
                call.cluster().ping(call.caller()), book.all().getTresList());
    }

    /// Machines that are rented by the hour: nothing here knows any.
    private static Reply instances(SlurmCall call) {
        return call.answer(json -> json.raw("\"instances\":[],"));
    }

    private static Reply config(SlurmCall call) {
        var book = book(call);
        return call.answer(json -> {
            write(json, "clusters", AccountTables.CLUSTERS, List.of(cluster(call, book)), book);
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
        return call.answer(json -> {
            json.raw("\"shares\":");
            SlurmLayout.of(ShareTable.SHARES)
                    .write(new ShareTable.Shares(found), json, book.surroundings());
            json.raw(',');
        });
    }
}
