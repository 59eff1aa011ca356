package dev.spur.engine.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Every sealed family and every enum that values of some types can hold.
final class Vocabulary {
    private final Set<Class<?>> types = new TreeSet<>(Comparator.comparing(Class::getName));

    static Vocabulary of(Class<?>... roots) {
        var vocabulary = new Vocabulary();
        for (var root : roots) {
            vocabulary.visit(root);
        }
        return vocabulary;
    }

    List<Class<?>> families() {
        return types.stream().filter(Class::isSealed).toList();
    }

    /// `Command 1 SubmitJob` and `Role USER`.
    List<String> lines() {
        var lines = new ArrayList<String>();
        for (var type : types) {
            if (type.isSealed()) {
                for (var member : Formats.membersOf(type)) {
                    lines.add(
                            "%s %d %s"
                                    .formatted(
                                            nameOf(type),
                                            Tags.ALL.of(type, member),
                                            member.getSimpleName()));
                }
            } else if (type.isEnum()) {
                for (var constant : type.getEnumConstants()) {
                    lines.add(nameOf(type) + " " + ((Enum<?>) constant).name());
                }
            }
        }
        return lines;
    }

    private static String nameOf(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
    }

    private void visit(Type type) {
        if (type instanceof ParameterizedType generic) {
            for (var argument : generic.getActualTypeArguments()) {
                visit(argument);
            }
        } else if (type instanceof Class<?> plain && types.add(plain)) {
            if (plain.isRecord()) {
                for (var component : plain.getRecordComponents()) {
                    visit(component.getGenericType());
                }
            } else if (plain.isSealed()) {
                Formats.membersOf(plain).forEach(this::visit);
            }
        }
    }
}
