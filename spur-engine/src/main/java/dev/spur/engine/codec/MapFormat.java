package dev.spur.engine.codec;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Pairs in the order of their keys, whatever the order of the map: equal maps have equal bytes.
final class MapFormat<K extends Comparable<? super K>, V> extends Format<Map<K, V>> {
    final Format<K> key;
    final Format<V> value;

    MapFormat(Format<K> key, Format<V> value) {
        this.key = key;
        this.value = value;
    }

    @Override
    void write(Map<K, V> map, Output out) {
        out.writeUnsigned(map.size());
        for (var pair : inOrder(map)) {
            key.write(pair.getKey(), out);
            value.write(pair.getValue(), out);
        }
    }

    static <K extends Comparable<? super K>, V> Collection<Map.Entry<K, V>> inOrder(Map<K, V> map) {
        return (map.size() < 2 ? map : new TreeMap<>(map)).entrySet();
    }

    @Override
    SortedMap<K, V> read(Input in) {
        var count = in.readCount();
        var map = new TreeMap<K, V>();
        for (var i = 0; i < count; i++) {
            var k = key.read(in);
            put(map, k, value.read(in), in);
        }
        return Collections.unmodifiableSortedMap(map);
    }

    static <K, V> void put(SortedMap<K, V> map, K key, V value, Input in) {
        if (map.put(key, value) != null) {
            throw in.damaged("a key comes twice: " + key);
        }
    }

    @Override
    Map<K, V> empty() {
        return Collections.emptySortedMap();
    }
}
