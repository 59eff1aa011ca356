package dev.spur.cli.account;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.ListAccountsRequest;
import dev.spur.api.v1.QosView;
import dev.spur.api.v1.TresView;
import dev.spur.api.v1.UserView;
import dev.spur.api.v1.WckeyView;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.history.Amounts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Everything about accounts that the caller may see, at one revision.
public final class AccountBook {
    /// Users before the accounts below, each by name.
    private static final Comparator<AssociationView> ORDER =
            Comparator.comparing((AssociationView one) -> one.getUser().isEmpty())
                    .thenComparing(AssociationView::getUser)
                    .thenComparing(AssociationView::getAccount)
                    .thenComparing(AssociationView::getPartition);

    private static final String MEM = "mem";

    private final ListAccountsReply all;
    private final Map<String, AccountView> accounts = new TreeMap<>();
    private final Map<String, UserView> users = new TreeMap<>();
    private final Map<Integer, AssociationView> byId = new HashMap<>();
    private final Map<Integer, List<AssociationView>> below = new LinkedHashMap<>();
    private final List<Placed> placed = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    /// An association and how far below the root it is.
    public record Placed(AssociationView view, int depth) {}

    public AccountBook(ListAccountsReply all) {
        this.all = all;
        all.getAccountsList().forEach(one -> accounts.put(one.getName(), one));
        all.getUsersList().forEach(one -> users.put(one.getName(), one));
        all.getAssociationsList().forEach(one -> byId.put(one.getId(), one));
        all.getAssociationsList().stream()
                .sorted(ORDER)
                .forEach(one ->
                        below.computeIfAbsent(
                                        byId.containsKey(one.getParentId()) ? one.getParentId() : 0,
                                        _ -> new ArrayList<>())
                                .add(one));
        place(0, 0);
        all.getTresList()
                .forEach(
                        one -> places.put(Amounts.name(one.getType(), one.getName()), one.getId()));
    }

    private void place(int parent, int depth) {
        for (var one : below.getOrDefault(parent, List.of())) {
            placed.add(new Placed(one, depth));
            place(one.getId(), depth + 1);
        }
    }

    /// @param usage whether associations come with what they used
    public static AccountBook ask(ControllerClient client, boolean usage) {
        var joined = ListAccountsReply.newBuilder();
        var request = ListAccountsRequest.newBuilder().setUsage(usage).build();
        client.eachOfAccounts(accounts -> accounts.listAccounts(request), joined::mergeFrom);
        return new AccountBook(joined.build());
    }

    public String cluster() {
        return all.getCluster();
    }

    public long revision() {
        return all.getRevision();
    }

    public long nowMicros() {
        return all.getNowMicros();
    }

    public Surroundings surroundings() {
        return Surroundings.of(all.getCluster(), all.getNowMicros(), all.getTresList());
    }

    public List<String> enforced() {
        return all.getEnforcedList();
    }

    /// By name.
    public Map<String, AccountView> accounts() {
        return accounts;
    }

    /// By name.
    public Map<String, UserView> users() {
        return users;
    }

    /// The tree from its root on.
    public List<Placed> associations() {
        return placed;
    }

    public List<AssociationView> below(AssociationView one) {
        return below.getOrDefault(one.getId(), List.of());
    }

    public @Nullable AssociationView above(AssociationView one) {
        return byId.get(one.getParentId());
    }

    /// The association of the account itself.
    public Optional<AssociationView> ofAccount(String account) {
        return find(account, "", "");
    }

    public Optional<AssociationView> find(String account, String user, String partition) {
        return all.getAssociationsList().stream()
                .filter(one ->
                        one.getAccount().equals(account)
                                && one.getUser().equals(user)
                                && one.getPartition().equals(partition))
                .findFirst();
    }

    public List<AssociationView> ofUser(String user) {
        return placed.stream().map(Placed::view).filter(one -> one.getUser().equals(user)).toList();
    }

    public List<QosView> qos() {
        return all.getQosList();
    }

    public Optional<QosView> qos(String name) {
        return all.getQosList().stream().filter(one -> one.getName().equals(name)).findFirst();
    }

    public List<WckeyView> wckeys() {
        return all.getWckeysList();
    }

    public List<TresView> tres() {
        return all.getTresList();
    }

    /// `cpu`, `gres/gpu` and so on.
    public Set<String> tresNames() {
        return places.keySet();
    }

    /// `cpu=4,mem=2G`, in the order of the resources' numbers.
    public String amounts(Map<String, Long> amounts) {
        return amounts.entrySet().stream()
                .sorted(
                        Comparator.comparing((Map.Entry<String, Long> one) -> number(one.getKey()))
                                .thenComparing(Map.Entry::getKey))
                .map(one -> one.getKey() + "=" + amount(one.getKey(), one.getValue()))
                .collect(Collectors.joining(","));
    }

    /// Where a resource stands among all; those that are not registered last.
    public int number(String tres) {
        return places.getOrDefault(tres, Integer.MAX_VALUE);
    }

    private static String amount(String name, long value) {
        return name.equals(MEM) ? Amounts.memory(value, true) : Long.toUnsignedString(value);
    }
}
