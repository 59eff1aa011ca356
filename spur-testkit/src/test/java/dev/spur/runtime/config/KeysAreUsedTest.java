package dev.spur.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// A key that a file may set either does something or says that it does not.
class KeysAreUsedTest {
    private static final Path SOURCES = Path.of("..");
    private static final String HERE =
            KeysAreUsedTest.class.getPackageName().replace('.', '/') + "/";

    /// A method or field of a class.
    private record Member(String owner, String name) {}

    @Test
    void everyKeyIsReadBySomebodyOrMarkedAsNotYetUsed() {
        var idle = new ArrayList<String>();
        collectIdle("", SpurConfig.class, reached(), idle);

        assertThat(idle).as("keys that nobody reads").isEmpty();
    }

    private static void collectIdle(
            String path, Class<? extends Record> type, Set<Member> reached, List<String> idle) {
        for (var entry : Keys.of(type).entries()) {
            if (entry.isNotYetUsed()) {
                continue;
            }
            var key = path + entry.key();
            var section = entry.section();
            if (section != null) {
                collectIdle(key + ".", section, reached, idle);
            } else if (!reached.contains(new Member(internal(type), entry.component().getName()))) {
                idle.add(key);
            }
        }
    }

    /// What the programs call of the configuration, directly or through a method of it.
    private static Set<Member> reached() {
        var inside = new HashMap<Member, Set<Member>>();
        var waiting = new ArrayDeque<Member>();
        for (var type : programs()) {
            if (type.thisClass().asInternalName().startsWith(HERE)) {
                inside.putAll(members(type));
            } else {
                waiting.addAll(named(type));
            }
        }
        var reached = new HashSet<Member>();
        while (!waiting.isEmpty()) {
            var member = waiting.remove();
            if (reached.add(member)) {
                waiting.addAll(inside.getOrDefault(member, Set.of()));
            }
        }
        return reached;
    }

    /// All that a class names, method references included.
    private static Set<Member> named(ClassModel type) {
        return StreamSupport.stream(type.constantPool().spliterator(), false)
                .filter(MemberRefEntry.class::isInstance)
                .map(MemberRefEntry.class::cast)
                .map(entry ->
                        new Member(entry.owner().asInternalName(), entry.name().stringValue()))
                .filter(member -> member.owner().startsWith(HERE))
                .collect(Collectors.toSet());
    }

    /// What each method of a class uses. Constructors fill and check every key, which is no use.
    private static Map<Member, Set<Member>> members(ClassModel type) {
        var methods = new HashMap<Member, Set<Member>>();
        for (var method : type.methods()) {
            var name = method.methodName().stringValue();
            if (!name.startsWith("<")) {
                methods.computeIfAbsent(
                                new Member(type.thisClass().asInternalName(), name),
                                _ -> new HashSet<>())
                        .addAll(used(method));
            }
        }
        return methods;
    }

    private static Set<Member> used(MethodModel method) {
        var used = new HashSet<Member>();
        method.code()
                .ifPresent(code ->
                        code.forEach(element -> {
                            switch (element) {
                                case InvokeInstruction call ->
                                        used.add(
                                                new Member(
                                                        call.owner().asInternalName(),
                                                        call.name().stringValue()));
                                case FieldInstruction field ->
                                        used.add(
                                                new Member(
                                                        field.owner().asInternalName(),
                                                        field.name().stringValue()));
                                default -> {}
                            }
                        }));
        return used;
    }

    private static List<ClassModel> programs() {
        try (var modules = Files.list(SOURCES)) {
            return modules.filter(module -> !module.endsWith("spur-testkit"))
                    .map(module -> module.resolve("target/classes/dev/spur"))
                    .filter(Files::isDirectory)
                    .flatMap(KeysAreUsedTest::classes)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<ClassModel> classes(Path directory) {
        try (var files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList().stream()
                    .map(KeysAreUsedTest::parsed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ClassModel parsed(Path file) {
        try {
            return ClassFile.of().parse(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String internal(Class<?> type) {
        return type.getName().replace('.', '/');
    }
}
