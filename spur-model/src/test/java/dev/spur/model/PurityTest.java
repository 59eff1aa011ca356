package dev.spur.model;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The model computes: the same values in give the same values out, on every replica and at any
/// time.
class PurityTest {
    private final JavaClasses model =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dev.spur.model");

    @Test
    void modelTouchesNeitherFilesNorNetwork() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.io..", "java.nio.file..", "java.nio.channels..", "java.net..")
                .check(model);
    }

    @Test
    void modelStartsNoThreadsAndTakesNoLocks() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.lang\\.(Thread|ThreadLocal|Runtime|Process|ProcessBuilder)")
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("java.util.concurrent..")
                .check(model);
    }

    @Test
    void modelRollsNoDice() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.Random|java\\.util\\.random\\..*|java\\.security\\.SecureRandom")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .check(model);
    }

    @Test
    void modelReadsNoClock() {
        noClasses()
                .should()
                .callMethodWhere(
                        target(nameMatching("currentTimeMillis|nanoTime"))
                                .and(target(owner(assignableTo(System.class)))))
                .orShould()
                .callMethodWhere(
                        target(nameMatching("now"))
                                .and(
                                        target(
                                                owner(
                                                        assignableTo(Instant.class)
                                                                .or(assignableTo(LocalDate.class))
                                                                .or(assignableTo(LocalTime.class))
                                                                .or(
                                                                        assignableTo(
                                                                                LocalDateTime
                                                                                        .class))
                                                                .or(
                                                                        assignableTo(
                                                                                ZonedDateTime
                                                                                        .class))))))
                .orShould()
                .callMethodWhere(
                        target(nameMatching("system.*|tick.*"))
                                .and(
                                        target(
                                                owner(
                                                        assignableTo(Clock.class)
                                                                .or(
                                                                        assignableTo(
                                                                                InstantSource
                                                                                        .class))))))
                .check(model);
    }

    @Test
    void modelDependsOnNoSettingOfItsProcess() {
        noClasses()
                .should()
                .callMethodWhere(
                        target(nameMatching("getenv|getProperty|getProperties|exit"))
                                .and(target(owner(assignableTo(System.class)))))
                .orShould()
                .callMethod(ZoneId.class, "systemDefault")
                .orShould()
                .callMethod(Locale.class, "getDefault")
                .check(model);
    }

    /// Numbers have other digits elsewhere, and replicas may run anywhere.
    @Test
    void modelWritesTheSameTextsInEveryLocale() {
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
                .check(model);
    }
}
