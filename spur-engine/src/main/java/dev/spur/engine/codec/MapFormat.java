package dev.spur.engine.codec;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Pairs in the order of their keys, whatever the order of the map: equal maps have equal bytes.
final class MapFormat<K extends Comparable<? super K>, V> extends Format<Map<K, V>> {
    private final Format<K> key;
    private final Format<V> value;

    MapFormat(Format<K> key, Format<V> value) {
        this.key = key;
        this.value = value;
    }

    @Override
    void write(Map<K, V> map, Output out) {
        out.writeUnsigned(map.size());
        for (var pair : (map.size() < 2 ? map : new TreeMap<>(map)).entrySet()) {
            key.write(pair.getKey(), out);
            value.write(pair.getValue(), out);
        }
    }

    @Override
    SortedMap<K, V> read(Input in) {
        var count = in.readCount();
        var map = new TreeMap<K, V>();
        for (var i = 0; i < count; i++) {
            var k = key.read(in);
            if (map.put(k, value.read(in)) != null) {
                throw in.damaged("a key comes twice: " + k);
            }
        }
        return Collections.unmodifiableSortedMap(map);
    }

    @Override
    Map<K, V> empty() {
        return Collections.emptySortedMap();
    }
}
