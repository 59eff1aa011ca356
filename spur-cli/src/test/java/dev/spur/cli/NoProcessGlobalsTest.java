package dev.spur.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;

/// Commands of many users run in one process: what belongs to a process comes from the invocation.
@AnalyzeClasses(packages = "dev.spur.cli", importOptions = ImportOption.DoNotIncludeTests.class)
final class NoProcessGlobalsTest {
    private static final Map<String, Set<String>> GLOBALS =
            Map.ofEntries(
                    Map.entry(
                            "java.lang.System",
                            Set.of(
                                    "out",
                                    "err",
                                    "in",
                                    "exit",
                                    "getenv",
                                    "getProperty",
                                    "getProperties",
                                    "setProperty",
                                    "console",
                                    "setOut",
                                    "setErr",
                                    "setIn",
                                    "currentTimeMillis")),
                    Map.entry(
                            "java.lang.Runtime", Set.of("exit", "halt", "exec", "addShutdownHook")),
                    Map.entry("java.lang.ProcessBuilder", Set.of("start")),
                    Map.entry("java.time.ZoneId", Set.of("systemDefault")),
                    Map.entry("java.util.TimeZone", Set.of("getDefault", "setDefault")),
                    Map.entry("java.util.Locale", Set.of("getDefault", "setDefault")),
                    Map.entry("java.nio.charset.Charset", Set.of("defaultCharset")),
                    Map.entry("java.time.Instant", Set.of("now")),
                    Map.entry("java.time.LocalDateTime", Set.of("now")),
                    Map.entry("java.time.LocalDate", Set.of("now")),
                    Map.entry("java.time.ZonedDateTime", Set.of("now")),
                    Map.entry("java.time.Clock", Set.of("systemDefaultZone", "systemUTC")));

    private static final DescribedPredicate<JavaAccess<?>> A_GLOBAL =
            DescribedPredicate.describe(
                    "a process global",
                    access ->
                            GLOBALS.getOrDefault(access.getTargetOwner().getFullName(), Set.of())
                                    .contains(access.getName()));

    /// Files and sockets of the caller are the stub's; whatever a tool opened itself it would open
    /// as the door.
    private static final DescribedPredicate<JavaClass> FILES =
            DescribedPredicate.describe(
                    "the file system of the door",
                    type ->
                            Set.of(
                                            "java.io.File",
                                            "java.io.FileInputStream",
                                            "java.io.FileOutputStream",
                                            "java.io.FileReader",
                                            "java.io.FileWriter",
                                            "java.io.RandomAccessFile",
                                            "java.nio.file.Files",
                                            "java.nio.channels.FileChannel")
                                    .contains(type.getFullName()));

    @ArchTest
    private static final ArchRule TOOLS_USE_NO_PROCESS_GLOBALS =
            noClasses().that(areTools()).should().accessTargetWhere(A_GLOBAL);

    @ArchTest
    private static final ArchRule TOOLS_TOUCH_FILES_ONLY_THROUGH_THE_CALLER =
            noClasses().that(areTools()).should().dependOnClassesThat(FILES);

    /// An address that a caller names is not for the door to connect to: others believe it more.
    @ArchTest
    private static final ArchRule THE_DOOR_SPEAKS_NO_HTTP =
            noClasses()
                    .that()
                    .resideInAnyPackage("dev.spur.cli.door..", "dev.spur.cli.tools..")
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching(
                            "dev\\.spur\\.cli\\.cloud\\.(?!CloudAtDoor).*|java\\.net\\.http\\..*");

    /// All but the edges: the door, the process of our own, and what both learn from the host.
    private static DescribedPredicate<JavaClass> areTools() {
        var edges = Set.of("dev.spur.cli.door", "dev.spur.cli.process", "dev.spur.cli.host");
        return DescribedPredicate.describe(
                "are tools", type -> !edges.contains(type.getPackageName()));
    }
}
