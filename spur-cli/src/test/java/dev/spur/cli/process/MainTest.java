package dev.spur.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The C program where no door listens: it becomes a JVM with the jars beside it.
final class MainTest {
    private @TempDir Path prefix;

    @BeforeEach
    void install() throws Exception {
        var make = new ProcessBuilder("make", "-s", "-C", "../native/spur").inheritIO().start();
        assertThat(make.waitFor()).isZero();
        Files.createDirectories(prefix.resolve("bin"));
        Files.createDirectories(prefix.resolve("lib"));
        Files.copy(Path.of("../native/build/spur"), prefix.resolve("bin/spur"));
        // A jar whose manifest names the class path of this test.
        var classPath =
                Arrays.stream(System.getProperty("java.class.path").split(":", -1))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" "));
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        new JarOutputStream(Files.newOutputStream(prefix.resolve("lib/all.jar")), manifest).close();
    }

    private record Ran(int exitCode, String output) {}

    private Ran run(String... args) throws Exception {
        var command = new ArrayList<>(List.of(prefix.resolve("bin/spur").toString()));
        command.addAll(List.of(args));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SPUR_NO_DOOR", "1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), output);
    }

    @Test
    void runsTheSameToolsInAProcessOfItsOwn() throws Exception {
        assertThat(run("version")).isEqualTo(new Ran(0, "spur 0.1.0\n"));
    }

    @Test
    void exitsWithTheToolsCode() throws Exception {
        var told = run("no-such-verb");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.output()).startsWith("spur: unknown command 'no-such-verb'.");
    }
}
