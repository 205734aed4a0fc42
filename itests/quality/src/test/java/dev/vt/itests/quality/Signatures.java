package dev.vt.itests.quality;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeAnnotation;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The public and protected signatures of one exported package, one line each, with its version. Read from class files or from a
 * listing that an earlier build wrote. Immutable.
 */
record Signatures(String packageName, String version, SortedSet<String> lines) {
    private static final Set<AccessFlag> NOT_SHOWN =
            Set.of(AccessFlag.SUPER, AccessFlag.SYNCHRONIZED, AccessFlag.NATIVE);
    private static final Set<String> SHOWN_ANNOTATIONS =
            Set.of("ConsumerType", "ProviderType", "Deprecated", "FunctionalInterface");
    private static final String HEAD = "package ";

    /** All exported packages of a bundle by name; those that it took in of another project have that project's versions. */
    static SortedMap<String, Signatures> of(Bundle bundle) throws IOException {
        SortedMap<String, Signatures> all = new TreeMap<>();
        for (String name : bundle.exports()) {
            if (!name.startsWith("dev.vt.")) {
                continue;
            }
            all.put(name, read(name, bundle.classes().resolve(name.replace('.', '/'))));
        }
        return all;
    }

    /** The packages of a listing by name; none when there is no listing. */
    static SortedMap<String, Signatures> parse(Path listing) throws IOException {
        SortedMap<String, Signatures> all = new TreeMap<>();
        if (!Files.exists(listing)) {
            return all;
        }
        Signatures current = null;
        for (String line : Files.readAllLines(listing)) {
            if (line.startsWith(HEAD)) {
                String[] head = line.split(" ");
                current = new Signatures(head[1], head[2], new TreeSet<>());
                all.put(current.packageName, current);
            } else if (!line.isBlank() && current != null) {
                current.lines.add(line);
            }
        }
        return all;
    }

    static String listing(Map<String, Signatures> packages) {
        return packages.values().stream().map(Signatures::text).collect(Collectors.joining("\n"));
    }

    private String text() {
        return HEAD + packageName + " " + version + "\n" + String.join("\n", lines) + "\n";
    }

    private static Signatures read(String name, Path folder) throws IOException {
        String version = annotations(ClassFile.of().parse(folder.resolve("package-info.class")))
                .filter(a -> a.classSymbol().displayName().equals("Version"))
                .map(a -> ((AnnotationValue.OfString) a.elements().getFirst().value()).stringValue())
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is exported and has no @Version in its package-info"));
        SortedSet<String> lines = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                describe(ClassFile.of().parse(file), lines);
            }
        }
        return new Signatures(name, version, lines);
    }

    private static void describe(ClassModel type, Set<String> lines) {
        String name = type.thisClass().asSymbol().displayName();
        var inner = type.findAttribute(Attributes.innerClasses()).stream()
                .flatMap(a -> a.classes().stream())
                .filter(i -> i.innerClass().equals(type.thisClass()))
                .findFirst();
        Set<AccessFlag> flags = inner.map(i -> i.flags()).orElse(type.flags().flags());
        boolean anonymous = inner.isPresent() && inner.get().innerName().isEmpty();
        if (!visible(flags) || anonymous || name.equals("package-info")) {
            return;
        }
        lines.add(name + " = " + type(type, flags));
        for (FieldModel field : type.fields()) {
            if (visible(field.flags().flags())) {
                lines.add(name + "." + field.fieldName() + " : " + field(field));
            }
        }
        for (MethodModel method : type.methods()) {
            if (visible(method.flags().flags())) {
                lines.add(name + "." + method.methodName() + method(method));
            }
        }
    }

    private static String type(ClassModel type, Set<AccessFlag> flags) {
        String roles = annotations(type)
                .map(a -> a.classSymbol().displayName())
                .filter(SHOWN_ANNOTATIONS::contains)
                .sorted()
                .map(a -> "@" + a + " ")
                .collect(Collectors.joining());
        String parents = type.findAttribute(Attributes.signature())
                .map(s -> s.signature().stringValue())
                .orElseGet(() -> type.superclass().map(s -> s.asInternalName()).orElse("")
                        + type.interfaces().stream()
                                .map(i -> " " + i.asInternalName())
                                .collect(Collectors.joining()));
        String components = type.findAttribute(Attributes.record())
                .map(r -> r.components().stream()
                        .map(c -> c.name() + ":" + name(c.descriptorSymbol()))
                        .collect(Collectors.joining(", ", " record(", ")")))
                .orElse("");
        String permitted = type.findAttribute(Attributes.permittedSubclasses())
                .map(p -> p.permittedSubclasses().stream()
                        .map(e -> e.asSymbol().displayName())
                        .collect(Collectors.joining(",", " permits ", "")))
                .orElse("");
        return roles + words(flags) + parents + components + permitted;
    }

    private static String field(FieldModel field) {
        String value = field.findAttribute(Attributes.constantValue())
                .map(v -> " = " + v.constant().constantValue())
                .orElse("");
        return words(field.flags().flags()) + name(field.fieldTypeSymbol()) + generic(field) + nullness(field) + value;
    }

    private static String method(MethodModel method) {
        String parameters = method.methodTypeSymbol().parameterList().stream()
                .map(Signatures::name)
                .collect(Collectors.joining(", ", "(", ")"));
        String thrown = method.findAttribute(Attributes.exceptions())
                .map(x -> x.exceptions().stream()
                        .map(e -> name(e.asSymbol()))
                        .collect(Collectors.joining(", ", " throws ", "")))
                .orElse("");
        return parameters + " : " + words(method.flags().flags())
                + name(method.methodTypeSymbol().returnType()) + generic(method) + nullness(method) + thrown;
    }

    private static Stream<Annotation> annotations(AttributedElement element) {
        return Stream.of(
                        element.findAttribute(Attributes.runtimeInvisibleAnnotations())
                                .map(a -> a.annotations()),
                        element.findAttribute(Attributes.runtimeVisibleAnnotations())
                                .map(a -> a.annotations()))
                .flatMap(list -> list.stream().flatMap(List::stream));
    }

    private static boolean visible(Set<AccessFlag> flags) {
        return (flags.contains(AccessFlag.PUBLIC) || flags.contains(AccessFlag.PROTECTED))
                && !flags.contains(AccessFlag.SYNTHETIC);
    }

    private static String words(Set<AccessFlag> flags) {
        return flags.stream()
                .filter(f -> !NOT_SHOWN.contains(f))
                .sorted()
                .map(f -> f.name().toLowerCase(Locale.ROOT) + " ")
                .collect(Collectors.joining());
    }

    private static String name(ClassDesc type) {
        if (type.isArray()) {
            return name(type.componentType()) + "[]";
        }
        boolean plain = type.packageName().isEmpty() || type.packageName().equals("java.lang");
        return plain ? type.displayName() : type.packageName() + "." + type.displayName();
    }

    private static String generic(AttributedElement element) {
        return element.findAttribute(Attributes.signature())
                .map(s -> " <" + s.signature().stringValue() + ">")
                .orElse("");
    }

    /** Where the element says that null is meant: the kind of place, the number of the parameter, and the steps into its type. */
    private static String nullness(AttributedElement element) {
        return element.findAttribute(Attributes.runtimeVisibleTypeAnnotations()).stream()
                .flatMap(a -> a.annotations().stream())
                .map(a -> " @" + a.annotation().classSymbol().displayName() + "/" + place(a))
                .sorted()
                .collect(Collectors.joining());
    }

    private static String place(TypeAnnotation annotation) {
        String parameter = annotation.targetInfo() instanceof TypeAnnotation.FormalParameterTarget p
                ? String.valueOf(p.formalParameterIndex())
                : "";
        String steps = annotation.targetPath().stream()
                .map(s -> "." + s.typePathKind().name().toLowerCase(Locale.ROOT) + s.typeArgumentIndex())
                .collect(Collectors.joining());
        return annotation.targetInfo().targetType().name().toLowerCase(Locale.ROOT) + parameter + steps;
    }
}
