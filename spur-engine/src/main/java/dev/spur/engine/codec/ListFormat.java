package dev.spur.engine.codec;

import java.util.List;

final class ListFormat<T> extends Format<List<T>> {
    final Format<T> member;

    ListFormat(Format<T> member) {
        this.member = member;
    }

    @Override
    void write(List<T> value, Output out) {
        out.writeUnsigned(value.size());
        for (var each : value) {
            member.write(each, out);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    List<T> read(Input in) {
        var members = new Object[in.readCount()];
        for (var i = 0; i < members.length; i++) {
            members[i] = member.read(in);
        }
        return (List<T>) List.of(members);
    }

    @Override
    List<T> empty() {
        return List.of();
    }
}
