package dev.spur.engine.account;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who is due what: shares compared with usage, by Slurm's fair tree. On each level of the tree
/// siblings are ordered by share over usage; walking the tree in this order gives each user his
/// rank. So whoever belongs to an account that has had less than its share comes before everybody
/// of an account that has had more, whatever they used themselves. Equal siblings have equal ranks,
/// and accounts that are equal are looked at as if they were one.
public final class FairShare {
    /// @param normShares the part of what the siblings are due
    /// @param effectiveUsage the part of what the siblings used
    /// @param level shares over usage; infinite for those who used nothing
    /// @param factor 0 to 1, of users
    public record Standing(double normShares, double effectiveUsage, double level, double factor) {
        static final Standing NONE = new Standing(0, 0, 0, 0);

        private Standing withFactor(double other) {
            return new Standing(normShares, effectiveUsage, level, other);
        }
    }

    private final Accounts accounts;
    private final UsageBook usage;
    private final Map<Integer, Standing> standings = new HashMap<>();
    private final int users;
    private double rank;
    private double next;

    private FairShare(Accounts accounts, UsageBook usage) {
        this.accounts = accounts;
        this.usage = usage;
        users = (int) accounts.associations().values().stream().filter(Association::isUser).count();
        var root = accounts.associations().get(Association.ROOT);
        if (root != null) {
            var used = usage.ofAssociation(root.id()).billingSeconds();
            standings.put(root.id(), new Standing(1, used > 0 ? 1 : 0, 1, 0));
            compare(root, root);
            rank = users;
            next = users;
            rank(level(root), false);
        }
    }

    public static FairShare of(Accounts accounts, UsageBook usage) {
        return new FairShare(accounts, usage);
    }

    /// Of an association; nothing for one that does not exist.
    public Standing of(int association) {
        return standings.getOrDefault(association, Standing.NONE);
    }

    /// Those who share what is above: an account without shares of its own (`fairshare=parent`)
    /// stands for those below it.
    private List<Association> level(Association above) {
        var members = new ArrayList<Association>();
        for (var child : accounts.childrenOf(above.id())) {
            if (child.shares().ofParent() && !child.isUser()) {
                members.addAll(level(child));
            } else {
                members.add(child);
            }
        }
        return members;
    }

    /// @param due whose standing users without shares of their own have
    private void compare(Association above, Association due) {
        var members = level(above);
        var shares = 0.0;
        var used = 0.0;
        for (var one : members) {
            shares += one.shares().count();
            used += usage.ofAssociation(one.id()).billingSeconds();
        }
        for (var one : members) {
            var own = usage.ofAssociation(one.id()).billingSeconds();
            var part = shares == 0 ? 0 : one.shares().count() / shares;
            var effective = used <= 0 ? 0 : Math.max(0, own / used);
            var standing =
                    one.shares().ofParent()
                            ? of(due.id())
                            : new Standing(part, effective, level(part, effective), 0);
            standings.put(one.id(), standing);
            if (!one.isUser()) {
                compare(one, one);
            }
        }
        // Accounts that stand for those below them are shown with what these have together.
        for (var child : accounts.childrenOf(above.id())) {
            if (child.shares().ofParent() && !child.isUser()) {
                standings.put(child.id(), of(due.id()));
            }
        }
    }

    private static double level(double share, double used) {
        if (share == 0) {
            return 0;
        }
        return used == 0 ? Double.POSITIVE_INFINITY : share / used;
    }

    private static final Comparator<Association> USERS_FIRST =
            Comparator.comparing(one -> !one.isUser());

    private void rank(List<Association> siblings, boolean tiedAbove) {
        var ordered = new ArrayList<>(siblings);
        ordered.sort(
                Comparator.comparingDouble((Association one) -> of(one.id()).level())
                        .reversed()
                        .thenComparing(USERS_FIRST));
        var before = Double.NaN;
        for (var i = 0; i < ordered.size(); i++) {
            var one = ordered.get(i);
            var level = of(one.id()).level();
            var tied = i == 0 ? tiedAbove : level == before;
            if (one.isUser()) {
                if (!tied) {
                    rank = next;
                }
                standings.put(one.id(), of(one.id()).withFactor(rank / users));
                next--;
            } else {
                var children = new ArrayList<>(level(one));
                while (i + 1 < ordered.size() && of(ordered.get(i + 1).id()).level() == level) {
                    children.addAll(level(ordered.get(++i)));
                }
                rank(children, tied);
            }
            before = level;
        }
    }

    /// Computed when somebody asks first, and then kept: for a state that is published.
    public static final class Lazy {
        private final Accounts accounts;
        private final UsageBook usage;
        private volatile @Nullable FairShare made;

        public Lazy(Accounts accounts, UsageBook usage) {
            this.accounts = accounts;
            this.usage = usage;
        }

        public FairShare get() {
            var known = made;
            if (known == null) {
                known = FairShare.of(accounts, usage);
                made = known;
            }
            return known;
        }
    }
}
