package dev.spur.controller.accounting;

import dev.spur.api.v1.TresView;
import dev.spur.engine.account.TresAmounts;
import dev.spur.engine.tres.TresRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Amounts by the names that people read, and by the numbers that the state counts with.
public final class TresNames {
    private TresNames() {}

    /// Everything that the cluster counts, by number.
    public static List<TresView> all(TresRegistry registry) {
        var views = new ArrayList<TresView>();
        for (var id : registry.ids()) {
            var name = registry.name(id).orElse("");
            var slash = name.indexOf('/');
            views.add(
                    TresView.newBuilder()
                            .setId(id)
                            .setType(slash < 0 ? name : name.substring(0, slash))
                            .setName(slash < 0 ? "" : name.substring(slash + 1))
                            .build());
        }
        return views;
    }

    public static Map<String, Long> named(TresAmounts amounts, TresRegistry registry) {
        var named = new TreeMap<String, Long>();
        amounts.byNumber()
                .forEach((id, amount) ->
                        registry.name(id).ifPresent(name -> named.put(name, amount)));
        return named;
    }
}
