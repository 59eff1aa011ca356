package dev.spur.engine.scheduling;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a pass has learned about the earliest starts on one set of nodes.
///
/// Plans only take capacity away, so within a pass the earliest start of a shape only grows, and a
/// shape that asks for at least as much as another starts no earlier. A search therefore begins
/// where the best of the lesser shapes before it arrived, with what that found out about each node.
final class Frontier {
    /// Enough to have a close one for most shapes, few enough to look at all of them.
    private static final int MOST = 256;

    /// The nodes in service.
    final BitSet among;

    /// The same, one after the other.
    final int[] positions;

    private final int width;
    private final List<Fact> facts = new ArrayList<>();
    private int oldest;

    /// @param width how many nodes the cluster has
    Frontier(BitSet among, int width) {
        this.among = among;
        this.width = width;
        positions = among.stream().toArray();
    }

    /// For a shape, the first time at which each node has room for it, not counting times before
    /// the shape's own earliest.
    static final class Fact {
        @Nullable Shape shape;
        final int[] earliestOn;

        private Fact(Shape shape, int[] earliestOn) {
            this.shape = shape;
            this.earliestOn = earliestOn;
        }
    }

    Fact of(Shape shape) {
        var known = shape.fact;
        if (known != null && known.shape == shape) {
            return known;
        }
        Fact best = null;
        Fact second = null;
        for (var fact : facts) {
            var other = fact.shape;
            if (other != null
                    && other.earliest >= shape.earliest
                    && other.asksForNoMoreThan(shape)) {
                shape.earliest = other.earliest;
                second = best;
                best = fact;
            }
        }
        var fact = place(shape, merged(best, second));
        shape.fact = fact;
        return fact;
    }

    /// What is known of each node from both.
    private int[] merged(@Nullable Fact one, @Nullable Fact other) {
        if (one == null) {
            return new int[width];
        }
        var later = one.earliestOn.clone();
        if (other != null) {
            for (var at = 0; at < width; at++) {
                later[at] = Math.max(later[at], other.earliestOn[at]);
            }
        }
        return later;
    }

    /// A new place, or that of the one that has been there for longest.
    private Fact place(Shape shape, int[] earliestOn) {
        var fact = new Fact(shape, earliestOn);
        if (facts.size() < MOST) {
            facts.add(fact);
        } else {
            facts.set(oldest, fact).shape = null;
            oldest = (oldest + 1) % MOST;
        }
        return fact;
    }
}
