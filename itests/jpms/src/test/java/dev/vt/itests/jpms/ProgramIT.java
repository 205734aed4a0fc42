package dev.vt.itests.jpms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The very jars that are bundles in a framework, on a plain module path and on a class path, each in a process of its
 * own.
 */
class ProgramIT {
    private static final Path JARS = Path.of(System.getProperty("jars.dir"));
    private static final Path MAIN = Path.of(System.getProperty("main.dir"));
    private static final List<String> FLAGS =
            List.of(System.getProperty("vt.jvm.flags").split(" "));

    /** What a program needs that uses ops on the CPU; the shell and hot deployment are for a framework. */
    private static final List<String> RUNTIME =
            List.of("vt-api", "vt-ops", "vt-registry", "vt-backend-cpu", "vt-provider-vector", "vt-model");

    @TempDir
    Path folder;

    private static String path(List<String> jars) {
        return Stream.concat(jars.stream().map(j -> JARS.resolve(j + ".jar")), Stream.of(MAIN))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> without(String jar) {
        return RUNTIME.stream().filter(j -> !j.equals(jar)).toList();
    }

    private List<String> java(List<String> arguments) throws IOException, InterruptedException {
        return java(arguments, Map.of());
    }

    /** Runs java and returns the lines that it printed; anything but success fails. */
    private List<String> java(List<String> arguments, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(arguments);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still running: " + command);
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), command + "\n" + Files.readString(out) + Files.readString(err));
        assertEquals(
                "",
                Files.readAllLines(err).stream()
                        .filter(l -> !l.equals("WARNING: Using incubator modules: jdk.incubator.vector"))
                        .collect(Collectors.joining("\n")));
        return Files.readAllLines(out);
    }

    private Map<String, String> modular(List<String> jars, Map<String, String> environment)
            throws IOException, InterruptedException {
        return facts(java(
                arguments(FLAGS, "-p", path(jars), "-m", "dev.vt.itests.jpms/dev.vt.itests.jpms.Main"), environment));
    }

    private Map<String, String> classPath(List<String> jars) throws IOException, InterruptedException {
        return facts(java(arguments(FLAGS, "-cp", path(jars), "dev.vt.itests.jpms.Main")));
    }

    private static List<String> arguments(List<String> flags, String... more) {
        return Stream.concat(flags.stream(), Arrays.stream(more)).toList();
    }

    private static Map<String, String> facts(List<String> lines) {
        return lines.stream()
                .map(l -> l.split("=", 2))
                .collect(Collectors.toMap(p -> p[0], p -> p[1], (a, b) -> b, TreeMap::new));
    }

    private static String expected(Map<String, String> facts) {
        Set<String> features = Set.of(facts.get("features").split(","));
        return Stream.of("avx2", "avx512f", "neon").anyMatch(features::contains) ? "vector" : "vt-native";
    }

    @Test
    @DisplayName(
            "S1 on a module path services are found, vector is selected and the result is right; twice the same digest")
    void modulePath() throws Exception {
        Map<String, String> first = modular(RUNTIME, Map.of());
        assertEquals("true", first.get("named"));
        assertEquals(expected(first), first.get("selected"));
        assertEquals("64.0", first.get("result"));
        assertTrue(first.get("vt-native").contains(" 0 dev.vt.backend.cpu "), first.toString());
        assertTrue(first.get("vector").contains(" 10 dev.vt.provider.vector "), first.toString());
        assertEquals(first, modular(RUNTIME.reversed(), Map.of()), "the same in another order of the path");
    }

    @Test
    @DisplayName("S1 on a class path the same providers are found and the result is right")
    void classPath() throws Exception {
        Map<String, String> facts = classPath(RUNTIME);
        assertEquals("false", facts.get("named"));
        assertEquals(expected(facts), facts.get("selected"));
        assertEquals("64.0", facts.get("result"));
        assertEquals(facts.get("digest"), classPath(RUNTIME.reversed()).get("digest"));
    }

    @Test
    @DisplayName("S20 the environment disables a provider on a module path")
    void disabled() throws Exception {
        Map<String, String> facts = modular(RUNTIME, Map.of("VT_OP_PROVIDER_DISABLE", " vector ,, "));
        assertEquals("vt-native", facts.get("selected"));
        assertTrue(facts.get("vector").startsWith("disabled "), facts.toString());
        assertEquals("64.0", facts.get("result"));
    }

    @Test
    @DisplayName("S7 without the vector jar everything works, on vt-native")
    void withoutVector() throws Exception {
        Map<String, String> facts = modular(without("vt-provider-vector"), Map.of());
        assertEquals("vt-native", facts.get("selected"));
        assertFalse(facts.containsKey("vector"));
        assertEquals("64.0", facts.get("result"));
    }

    static Stream<String> modules() {
        return Stream.of(
                "dev.vt.api",
                "dev.vt.ops",
                "dev.vt.registry",
                "dev.vt.backend.cpu",
                "dev.vt.provider.vector",
                "dev.vt.model",
                "dev.vt.conformance",
                "dev.vt.shell",
                "dev.vt.deploy",
                "dev.vt.testkit");
    }

    @Test
    @DisplayName("every jar is the module of its name, seen by java --list-modules")
    void listed() throws Exception {
        Set<String> ours = java(List.of("-p", JARS.toString(), "--list-modules")).stream()
                .map(l -> l.split("[@ ]")[0])
                .filter(m -> m.startsWith("dev.vt."))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(modules().collect(Collectors.toCollection(TreeSet::new)), ours);
    }

    @ParameterizedTest(name = "{0} is closed, exports nothing internal and depends only on what architecture.md allows")
    @MethodSource("modules")
    void described(String name) throws Exception {
        List<String> printed = java(List.of("-p", JARS.toString(), "--describe-module", name));
        assertTrue(printed.get(0).startsWith(name), printed.toString());
        ModuleDescriptor descriptor = ModuleFinder.of(JARS)
                .find(name)
                .map(ModuleReference::descriptor)
                .orElseThrow();
        assertFalse(descriptor.isAutomatic());
        assertFalse(descriptor.isOpen());
        assertEquals(
                Set.of(),
                descriptor.exports().stream()
                        .map(ModuleDescriptor.Exports::source)
                        .filter(p -> p.contains(".internal"))
                        .collect(Collectors.toSet()));
        assertTrue(
                descriptor.exports().stream().allMatch(e -> printed.contains("exports " + e.source())),
                printed.toString());
        Set<String> ours = descriptor.requires().stream()
                .map(ModuleDescriptor.Requires::name)
                .filter(r -> r.startsWith("dev.vt."))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> allowed = allowed(name);
        assertTrue(allowed.containsAll(ours), name + " requires " + ours + ", allowed " + allowed);
    }

    private static Set<String> allowed(String name) {
        return switch (name) {
            case "dev.vt.api" -> Set.of();
            case "dev.vt.ops", "dev.vt.registry" -> Set.of("dev.vt.api");
            case "dev.vt.backend.cpu", "dev.vt.model", "dev.vt.conformance" -> Set.of("dev.vt.api", "dev.vt.ops");
            case "dev.vt.provider.vector" -> Set.of("dev.vt.api", "dev.vt.ops", "dev.vt.backend.cpu");
            case "dev.vt.shell" ->
                Set.of("dev.vt.api", "dev.vt.ops", "dev.vt.model", "dev.vt.conformance", "dev.vt.deploy");
            case "dev.vt.deploy" -> Set.of("dev.vt.api");
            case "dev.vt.testkit" -> Set.of("dev.vt.api", "dev.vt.ops", "dev.vt.backend.cpu", "dev.vt.conformance");
            default -> throw new AssertionError("say here what " + name + " may depend on");
        };
    }

    @Test
    @DisplayName("the model library resolves as a module without OSGi")
    void model() throws Exception {
        List<String> flags = arguments(FLAGS, "--add-modules", "dev.vt.model");
        List<String> lines =
                java(arguments(flags, "-p", path(RUNTIME), "-m", "dev.vt.itests.jpms/dev.vt.itests.jpms.Main"));
        assertEquals("64.0", facts(lines).get("result"));
    }
}
