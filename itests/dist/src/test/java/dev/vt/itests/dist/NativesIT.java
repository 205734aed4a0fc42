package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.OpTable;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.ProviderBundle;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bundle with a native library stays as it is, and what uses it is replaced freely. */
class NativesIT {
    private static final String CLASS = "test.natives.Natives";
    private static final String JAVA = """
        package test.natives;

        public final class Natives {
            static {
                System.loadLibrary("vttest");
            }

            private Natives() {}

            public static native int answer();
        }
        """;
    private static final String C = """
        #include <jni.h>

        JNIEXPORT jint JNICALL Java_test_natives_Natives_answer(JNIEnv *env, jclass type) {
            return ANSWER;
        }
        """;

    @TempDir
    Path folder;

    @Test
    @DisplayName("O1.6 D2 a provider over a natives bundle is updated three times; the natives bundle itself needs a "
            + "restart")
    void restartNeeded() throws Exception {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Bundles.compile(CLASS, JAVA, classes);
        natives(42, "1.0.0", classes, vt.deploy().resolve("natives.jar"));
        try (Shell shell = vt.shell()) {
            shell.awaitState("natives.jar", "active");
            for (String version : List.of("1.0.0", "1.0.1", "1.0.2", "1.0.3")) {
                update(shell, version, classes);
            }

            natives(43, "2.0.0", classes, vt.deploy().resolve("natives.jar"));
            String reason =
                    shell.await("a reason", () -> shell.reason("natives.jar"), text -> text.contains("restart needed"));
            assertTrue(reason.contains("test.natives") && reason.contains("native libraries"), reason);
            update(shell, "1.0.4", classes);

            Files.delete(vt.deploy().resolve("natives.jar"));
            shell.await("a reason", () -> shell.reason("natives.jar"), text -> text.contains("restart needed"));
            update(shell, "1.0.5", classes);
        }
        assertEquals(
                List.of(),
                vt.log().stream()
                        .filter(line -> line.contains("already loaded in another"))
                        .toList());
        vt.assertNoErrorInLog();
        vt.assertNoCrashFile();
    }

    /** The provider is selected only while the library of the first natives bundle answers. */
    private static void update(Shell shell, String version, Path classes) throws IOException {
        Path jar = shell.installation().deploy().resolve("on-top.jar");
        ProviderBundle.named("on-top")
                .version(version)
                .priority(50)
                .kernel(OpTable.MATMUL, KernelBehaviour.forwards())
                .withImport("test.natives")
                .supports(CLASS + ".answer() == 42", "the first library")
                .classPath(path(classes))
                .build()
                .writeTo(jar);
        shell.await("version " + version, () -> shell.version("on-top.jar"), version::equals);
        shell.awaitProvider("on-top", "selected");
    }

    private static List<Path> path(Path classes) {
        return Stream.concat(
                        Stream.of(classes),
                        Stream.of(OpProvider.class, OpTable.class, CpuQueue.class)
                                .map(NativesIT::origin))
                .distinct()
                .toList();
    }

    private static Path origin(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void natives(int answer, String version, Path classes, Path to) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("natives.c"), C);
        Path library = folder.resolve("libvttest-" + answer + ".so");
        Path headers = Path.of(System.getProperty("java.home"), "include");
        run(
                "gcc",
                "-shared",
                "-fPIC",
                "-O1",
                "-DANSWER=" + answer,
                "-I" + headers,
                "-I" + headers.resolve("linux"),
                "-o",
                library.toString(),
                source.toString());
        Bundles.write(
                Map.of(
                        "Bundle-SymbolicName",
                        "test.natives",
                        "Bundle-Version",
                        version,
                        "Export-Package",
                        "test.natives",
                        "Bundle-NativeCode",
                        "lib/libvttest.so;osname=Linux;processor=x86-64,*"),
                Map.of(
                        "test/natives/Natives.class",
                        Files.readAllBytes(classes.resolve("test/natives/Natives.class")),
                        "lib/libvttest.so",
                        Files.readAllBytes(library)),
                to);
    }

    private static void run(String... line) throws InterruptedException {
        try {
            assertEquals(0, new ProcessBuilder(line).inheritIO().start().waitFor(), () -> String.join(" ", line));
        } catch (IOException e) {
            fail("this test compiles a small library: install gcc", e);
        }
    }
}
