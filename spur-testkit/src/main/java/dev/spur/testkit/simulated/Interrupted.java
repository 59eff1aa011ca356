package dev.spur.testkit.simulated;

import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;

/// A list whose reader is interrupted after each element, as any thread may be: others run
/// meanwhile.
final class Interrupted<T> extends AbstractList<T> {
    private final List<T> elements;
    private final Runnable rest;

    Interrupted(List<T> elements, Runnable rest) {
        this.elements = elements;
        this.rest = rest;
    }

    @Override
    public T get(int index) {
        return elements.get(index);
    }

    @Override
    public int size() {
        return elements.size();
    }

    @Override
    public Iterator<T> iterator() {
        var each = elements.iterator();
        return new Iterator<>() {
            private boolean begun;

            @Override
            public boolean hasNext() {
                if (begun) {
                    begun = false;
                    rest.run();
                }
                return each.hasNext();
            }

            @Override
            public T next() {
                begun = true;
                return each.next();
            }
        };
    }
}
