package dev.spur.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What may use what, in all modules: docs/architecture.md has the picture.
class ArchitectureTest {
    private static final List<String> EVERYTHING_BELOW =
            List.of(
                    "model",
                    "engine",
                    "api",
                    "runtime",
                    "controller",
                    "agent",
                    "accounting",
                    "rest",
                    "cloud",
                    "cli",
                    "dist");

    /// Each module with those that it may use. No process uses another one, and only the controller
    /// has the engine.
    private static final Map<String, List<String>> MODULES =
            Map.ofEntries(
                    Map.entry("model", List.of()),
                    Map.entry("engine", List.of("model")),
                    Map.entry("api", List.of("model")),
                    Map.entry("runtime", List.of("model")),
                    Map.entry("controller", List.of("model", "engine", "api", "runtime")),
                    Map.entry("agent", List.of("model", "api", "runtime")),
                    Map.entry("accounting", List.of("model", "api", "runtime")),
                    Map.entry("rest", List.of("model", "api", "runtime")),
                    Map.entry("cloud", List.of("model", "api", "runtime")),
                    Map.entry("cli", List.of("model", "api", "runtime")),
                    Map.entry(
                            "dist",
                            List.of(
                                    "model",
                                    "api",
                                    "runtime",
                                    "controller",
                                    "agent",
                                    "accounting",
                                    "rest",
                                    "cloud",
                                    "cli")),
                    Map.entry("testkit", EVERYTHING_BELOW));

    private static final JavaClasses SPUR =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("dev.spur");

    @Test
    void noPackagesUseEachOther() {
        slices().assignedFrom(packages()).should().beFreeOfCycles().check(SPUR);
    }

    static Stream<String> modules() {
        return MODULES.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void moduleUsesOnlyWhatItMay(String module) {
        var foreign = new TreeSet<>(MODULES.keySet());
        foreign.remove(module);
        foreign.removeAll(MODULES.getOrDefault(module, List.of()));

        classes()
                .that()
                .resideInAPackage(packageOf(module))
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages(
                        foreign.stream().map(ArchitectureTest::packageOf).toArray(String[]::new))
                .check(SPUR);
    }

    @Test
    void everyClassBelongsToAModuleThatHasItsRule() {
        var known =
                new TreeSet<>(
                        SPUR.stream().map(type -> type.getPackageName().split("\\.")[2]).toList());

        assertThat(known).containsExactlyElementsOf(new TreeSet<>(MODULES.keySet()));
    }

    private static String packageOf(String module) {
        return "dev.spur." + module + "..";
    }

    private static SliceAssignment packages() {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return SliceIdentifier.of(type.getPackageName());
            }

            @Override
            public String getDescription() {
                return "packages";
            }
        };
    }
}
