package dev.spur.engine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/// The heart decides from values alone: every replica and every replay must come to the same state.
class PurityTest {
    private final JavaClasses heart =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.spur.engine");

    @Test
    void readsNoClock() {
        noClasses()
                .should()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(java.time.InstantSource.class)
                .check(heart);
    }

    @Test
    void hasNoThreadsAndNoInputOrOutput() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.nio\\.(file|channels)\\..*|java\\.net\\..*|java\\.io\\.(File|Console|Random).*")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.lang\\.(Thread|ThreadLocal|Process|ProcessBuilder|Runtime)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.concurrent\\.(?!atomic\\.).*")
                .check(heart);
    }

    @Test
    void usesNoChance() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.(Random|UUID|SplittableRandom)|java\\.security\\.SecureRandom|java\\.util\\.random\\..*")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(Math.class, "pow", double.class, double.class)
                .orShould()
                .callMethod(Math.class, "exp", double.class)
                .check(heart);
    }

    @Test
    void knowsNothingOutsideOfModelAndJdk() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.spur.engine..", "dev.spur.model..", "java..", "org.jspecify..")
                .check(heart);
    }

    /// Numbers have other digits elsewhere, and replicas may run anywhere.
    @Test
    void writesTheSameTextsInEveryLocale() {
        noClasses()
                .should()
                .callMethod(String.class, "formatted", Object[].class)
                .orShould()
                .callMethod(String.class, "format", String.class, Object[].class)
                .orShould()
                .callMethod(String.class, "toUpperCase")
                .orShould()
                .callMethod(String.class, "toLowerCase")
                .orShould()
                .callMethod(java.time.format.DateTimeFormatter.class, "ofPattern", String.class)
                .because("dev.spur.model.notation.Text and Locale.ROOT write the same everywhere")
                .check(heart);
    }
}
