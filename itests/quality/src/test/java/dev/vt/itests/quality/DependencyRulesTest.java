package dev.vt.itests.quality;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rules of docs/dev/architecture.md that class files can tell, over everything that the build compiled. */
@DisplayName("dependency rules")
class DependencyRulesTest {
    /** "Who knows what": what a bundle may know of other bundles. Providers and backends follow from their names. */
    private static final Map<String, Set<String>> MAY_KNOW = Map.of(
            "dev.vt.api", Set.of(),
            "dev.vt.ops", Set.of("dev.vt.api"),
            "dev.vt.registry", Set.of("dev.vt.api"),
            "dev.vt.model", Set.of("dev.vt.api", "dev.vt.ops"),
            "dev.vt.deploy", Set.of("dev.vt.api"),
            "dev.vt.conformance", Set.of("dev.vt.api", "dev.vt.ops"),
            "dev.vt.shell", Set.of("dev.vt.api", "dev.vt.ops", "dev.vt.model", "dev.vt.deploy", "dev.vt.conformance"),
            "dev.vt.log", Set.of(),
            "dev.vt.natives.jcuda", Set.of());

    private static final SliceAssignment UNITS = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().replaceFirst("\\.internal\\b.*", ""));
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    };

    private static List<Bundle> bundles;
    private static Map<String, JavaClasses> classesOf;
    /** Main classes of all bundles. */
    private static JavaClasses main;
    /** Main and test classes of all modules, the launcher and the integration tests included. */
    private static JavaClasses everything;

    @BeforeAll
    static void read() throws IOException {
        bundles = Bundle.all();
        // What a natives bundle took in of other projects keeps their rules, not these.
        ClassFileImporter importer =
                new ClassFileImporter().withImportOption(location -> !location.contains("/target/classes/jcuda/"));
        classesOf = new HashMap<>();
        for (Bundle bundle : bundles) {
            classesOf.put(bundle.name(), importer.importPath(bundle.classes()));
        }
        main = importer.importPaths(bundles.stream().map(Bundle::classes).toList());
        List<Path> roots = new ArrayList<>();
        for (String top : List.of("bundles", "distribution", "features", "itests")) {
            try (Stream<Path> folders = Files.walk(Bundle.ROOT.resolve(top), 4)) {
                folders.filter(f -> f.endsWith("target/classes") || f.endsWith("target/test-classes"))
                        .forEach(roots::add);
            }
        }
        everything = importer.importPaths(roots);
    }

    @Test
    @DisplayName("every bundle is looked at, and compiled for Java 25")
    void everyBundleIsRead() throws IOException {
        assertTrue(bundles.size() >= 10, bundles.toString());
        for (Bundle bundle : bundles) {
            assertTrue(classesOf.get(bundle.name()).size() > 0, bundle.name());
            Path info = bundle.classes().resolve("module-info.class");
            assertEquals(ClassFile.JAVA_25_VERSION, ClassFile.of().parse(info).majorVersion());
        }
        assertTrue(everything.contain(DependencyRulesTest.class));
    }

    @Test
    @DisplayName("who knows what: a bundle uses only exported packages of the bundles it may know")
    void whoKnowsWhat() {
        Map<String, Bundle> owners = new HashMap<>();
        classesOf.forEach((name, classes) -> classes.forEach(c -> owners.put(c.getName(), byName().get(name))));
        List<String> wrong = new ArrayList<>();
        for (Bundle bundle : bundles) {
            for (JavaClass c : classesOf.get(bundle.name())) {
                for (Dependency d : c.getDirectDependenciesFromSelf()) {
                    Bundle other =
                            owners.get(d.getTargetClass().getBaseComponentType().getName());
                    if (other != null && !other.equals(bundle) && !allowed(bundle, other, d)) {
                        wrong.add(d.getDescription());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    @DisplayName("who knows what: a provider knows one backend at most")
    void oneBackend() {
        for (Bundle bundle : bundles) {
            long backends = bundle.module().requires().stream()
                    .filter(r -> r.name().startsWith("dev.vt.backend."))
                    .count();
            assertTrue(!bundle.name().startsWith("dev.vt.provider.") || backends <= 1, bundle.name());
        }
    }

    @Test
    @DisplayName("no cycles between packages; a package and the internal ones below it count as one")
    void noCycles() {
        slices().assignedFrom(UNITS).should().beFreeOfCycles().check(main);
    }

    @Test
    @DisplayName("no cycles between internal packages")
    void noInternalCycles() {
        JavaClasses internal = main.that(
                DescribedPredicate.describe("internal", c -> c.getPackageName().contains(".internal")));
        slices().matching("dev.vt.(**)").should().beFreeOfCycles().check(internal);
    }

    @Test
    @DisplayName("no thread locals")
    void noThreadLocals() {
        noFields()
                .should()
                .haveRawType(DescribedPredicate.describe(
                        "a thread local", (JavaClass c) -> c.isAssignableTo(ThreadLocal.class)))
                .check(main);
    }

    @Test
    @DisplayName("only a program's main class ends the process")
    void noExit() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.vt.launcher..", "dev.vt.itests..")
                .should()
                .callMethodWhere(call("exit", System.class))
                .orShould()
                .callMethodWhere(call("halt", Runtime.class))
                .orShould()
                .callMethodWhere(call("exit", Runtime.class))
                .check(everything);
    }

    @Test
    @DisplayName("a bundle logs through System.Logger")
    void logging() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.util.logging..", "org.slf4j..", "org.apache.commons.logging..", "org.apache.log4j..")
                .check(main);
    }

    @Test
    @DisplayName("nothing sleeps, tests included")
    void noSleep() {
        noClasses()
                .that()
                .resideOutsideOfPackage("..jmh_generated..")
                .should()
                .callMethodWhere(DescribedPredicate.describe(
                        "a sleep",
                        (JavaMethodCall c) -> c.getName().equals("sleep")
                                && (c.getTargetOwner().isAssignableTo(Thread.class)
                                        || c.getTargetOwner().isEquivalentTo(java.util.concurrent.TimeUnit.class))))
                .check(everything);
    }

    private static DescribedPredicate<JavaMethodCall> call(String name, Class<?> owner) {
        return DescribedPredicate.describe(
                owner.getSimpleName() + "." + name,
                c -> c.getName().equals(name) && c.getTargetOwner().isEquivalentTo(owner));
    }

    private static boolean allowed(Bundle from, Bundle to, Dependency dependency) {
        String packageName = dependency.getTargetClass().getBaseComponentType().getPackageName();
        return mayKnow(from.name(), to.name()) && to.exports().contains(packageName);
    }

    private static boolean mayKnow(String from, String to) {
        if (from.equals("dev.vt.testkit")) {
            return true;
        }
        if (from.startsWith("dev.vt.backend.")) {
            return Set.of("dev.vt.api", "dev.vt.ops").contains(to) || to.startsWith("dev.vt.natives.");
        }
        if (from.startsWith("dev.vt.provider.")) {
            return Set.of("dev.vt.api", "dev.vt.ops").contains(to) || to.startsWith("dev.vt.backend.");
        }
        Set<String> known = MAY_KNOW.get(from);
        assertNotNull(known, from + " is new: say in architecture.md, and here, what it may know");
        return known.contains(to);
    }

    private static Map<String, Bundle> byName() {
        return bundles.stream().collect(toMap(Bundle::name, b -> b));
    }
}
