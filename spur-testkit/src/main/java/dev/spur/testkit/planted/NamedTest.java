package dev.spur.testkit.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/// Runs the class or method that is named as in Surefire's `-Dtest`: `DeadlineTest` or
/// `DeadlineTest#jobEndsOnce`, in the directory of a module. Ends with 0 if all of it passed, with
/// 1 if something failed, and with 2 if nothing ran.
public final class NamedTest {
    private static final Path CLASSES = Path.of("target", "test-classes");
    private static final String CLASS = ".class";

    private NamedTest() {}

    public static void main(String[] args) throws IOException {
        var heard = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector(args[0]))
                                .configurationParameter(
                                        "junit.jupiter.execution.timeout.default", "4 m")
                                .configurationParameter(
                                        "junit.jupiter.execution.timeout.thread.mode.default",
                                        "separate_thread")
                                .build(),
                        heard);
        var summary = heard.getSummary();
        for (var failure : summary.getFailures()) {
            System.out.printf(
                    "%s: %s%n",
                    failure.getTestIdentifier().getDisplayName(), failure.getException());
        }
        System.exit(
                summary.getTotalFailureCount() > 0
                        ? 1
                        : summary.getTestsSucceededCount() == 0 ? 2 : 0);
    }

    private static DiscoverySelector selector(String named) throws IOException {
        var mark = named.indexOf('#');
        var type = fullName(mark < 0 ? named : named.substring(0, mark));
        return mark < 0 ? selectClass(type) : method(type, named.substring(mark + 1));
    }

    /// By its name alone: what a method takes is not part of how it is called here.
    private static DiscoverySelector method(String type, String name) {
        try {
            var test = Class.forName(type, false, NamedTest.class.getClassLoader());
            return Arrays.stream(test.getDeclaredMethods())
                    .filter(method -> method.getName().equals(name) && !method.isSynthetic())
                    .findFirst()
                    .map(method -> selectMethod(test, method))
                    .orElseThrow(() ->
                            new IllegalArgumentException("%s has no %s".formatted(type, name)));
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("there is no " + type, e);
        }
    }

    private static String fullName(String simple) throws IOException {
        try (var files = Files.walk(CLASSES)) {
            return files.filter(file -> file.endsWith(simple + CLASS))
                    .map(file -> CLASSES.relativize(file).toString().replace('/', '.'))
                    .map(file -> file.substring(0, file.length() - CLASS.length()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no " + simple));
        }
    }
}
