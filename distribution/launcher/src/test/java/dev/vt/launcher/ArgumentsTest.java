package dev.vt.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
    @Test
    @DisplayName("no argument is the interactive shell")
    void interactive() {
        assertEquals(new Arguments.Interactive(), Arguments.parse());
    }

    @Test
    @DisplayName("-c takes the commands as one argument")
    void commands() {
        assertEquals(new Arguments.Commands("vt:devices; vt:stats"), Arguments.parse("-c", "vt:devices; vt:stats"));
        assertTrue(Arguments.parse("-c", "x").batch());
    }

    @Test
    @DisplayName("--script takes a readable file and makes its path absolute")
    void script(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("s.gosh"), "vt:devices");
        assertEquals(new Arguments.Script(file.toAbsolutePath()), Arguments.parse("--script", file.toString()));
        var wrong = assertInstanceOf(
                Arguments.Wrong.class,
                Arguments.parse("--script", folder.resolve("none").toString()));
        assertTrue(wrong.sentence().contains("none"), wrong.sentence());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-x", "-c", "--script", "--help me", "--version 1", "-c a b", "vt:devices", "--"})
    @DisplayName("anything else is wrong, and one sentence says why")
    void wrong(String line) {
        var wrong = assertInstanceOf(Arguments.Wrong.class, Arguments.parse(line.split(" ")));
        assertTrue(!wrong.sentence().isBlank() && !wrong.sentence().contains("\n"), wrong.sentence());
    }
}
