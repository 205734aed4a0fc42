package dev.vt.testkit;

import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.OpTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * A provider bundle made on the fly: a real jar with compiled classes, a manifest and a Declarative Services component, as if it
 * came from another project. The same description gives the same bytes. Immutable, any thread.
 *
 * <pre>{@code
 * ProviderBundle.named("fast").priority(50).kernel(OpTable.MATMUL, KernelBehaviour.constant(7)).build().writeTo(folder);
 * }</pre>
 */
public final class ProviderBundle {
    /** The simple name of the generated class. */
    static final String CLASS = "GeneratedProvider";

    private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

    private final String symbolicName;
    private final String className;
    private final Map<String, byte[]> entries;
    private final byte[] bytes;

    private ProviderBundle(String symbolicName, String className, Map<String, byte[]> entries, byte[] bytes) {
        this.symbolicName = symbolicName;
        this.className = className;
        this.entries = entries;
        this.bytes = bytes;
    }

    /** Where a generated provider can be made to throw. */
    public enum Place {
        STATIC_INITIALISER,
        CONSTRUCTOR,
        NAME,
        PRIORITY,
        DEVICE_TYPE,
        SUPPORTS,
        KERNELS
    }

    /** Begins a description: version 1.0.0, priority 10, for the CPU, no kernels. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    public String symbolicName() {
        return symbolicName;
    }

    /** The jar. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** SHA-256 of the jar, in hexadecimal. */
    public String digest() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    /** Writes the jar to a file, or into a folder under its symbolic name. */
    public Path writeTo(Path target) throws IOException {
        Path file = Files.isDirectory(target) ? target.resolve(symbolicName + ".jar") : target;
        return Files.write(file, bytes);
    }

    /** Writes the jar in {@code n} pieces, each when the test asks for it. */
    public Slices sliced(Path file, int n) throws IOException {
        return Slices.growing(file, bytes, n);
    }

    /** As {@link #sliced}, but the file has its full length from the start. */
    public Slices slicedSparse(Path file, int n) throws IOException {
        return Slices.sparse(file, bytes, n);
    }

    /** Makes the provider without a framework, in a class loader of its own that nothing else holds. */
    public OpProvider load() {
        try {
            ClassLoader loader = new MemoryLoader(entries, ProviderBundle.class.getClassLoader());
            return (OpProvider) loader.loadClass(className).getConstructor().newInstance();
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw ProviderBundle.<RuntimeException>sneak(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(className + " can't be made", e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T sneak(@Nullable Throwable t) throws T {
        throw (T) t;
    }

    /** Classes from memory. */
    private static final class MemoryLoader extends ClassLoader {
        private final Map<String, byte[]> entries;

        MemoryLoader(Map<String, byte[]> entries, ClassLoader parent) {
            super("provider bundle", parent);
            this.entries = entries;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] file = entries.get(name.replace('.', '/') + ".class");
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, file, 0, file.length);
        }
    }

    /** Describes a bundle; not thread-safe. */
    public static final class Builder {
        @Nullable
        String name;

        @Nullable
        Object priority = 10;

        DeviceType device = DeviceType.CPU;
        String supports = "true";
        String requirement = "supports() said no";

        @Nullable
        Probe probe;

        final Map<Op<?>, KernelBehaviour> kernels = new TreeMap<>();
        final Map<Place, KernelBehaviour.Throws> faults = new EnumMap<>(Place.class);

        private String symbolicName;
        private String version = "1.0.0";
        private boolean withProperties = true;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final Map<String, @Nullable Object> properties = new LinkedHashMap<>();
        private final Map<String, String> sources = new LinkedHashMap<>();
        private final Map<String, byte[]> extra = new LinkedHashMap<>();
        private final StringBuilder imports = new StringBuilder();
        private List<Path> classPath = List.of();

        private Builder(String name) {
            this.name = name;
            this.symbolicName = "test.provider." + name.replaceAll("[^A-Za-z0-9_.-]", "_");
        }

        public Builder symbolicName(String value) {
            symbolicName = value;
            return this;
        }

        public Builder version(String value) {
            version = value;
            return this;
        }

        /** What {@code name()} returns and the service property says; may be anything, null included. */
        public Builder name(@Nullable String value) {
            name = value;
            return this;
        }

        /** The service property, of any type that a component can have, or null for none; {@code priority()} returns it if an Integer. */
        public Builder priority(@Nullable Object value) {
            priority = value;
            return this;
        }

        public Builder device(DeviceType value) {
            device = value;
            return this;
        }

        /** The Java expression that {@code supports(ProviderCaps caps)} returns, and what {@code requirement()} says. */
        public Builder supports(String expression, String needs) {
            supports = expression;
            requirement = needs;
            return this;
        }

        public Builder kernel(Op<?> op, KernelBehaviour behaviour) {
            OpTable.get(op.name());
            kernels.put(op, behaviour);
            return this;
        }

        /** Makes the provider throw at a place; the type needs a constructor that takes a message. */
        public Builder throwing(Place place, Class<? extends Throwable> type, String message) {
            faults.put(place, new KernelBehaviour.Throws(type, message));
            return this;
        }

        /** Lets the test watch and hold the provider, in this process. */
        public Builder probe(Probe value) {
            probe = value;
            return this;
        }

        /** Leaves out the service properties of the provider, so that the registry must ask the instance. */
        public Builder withoutProviderProperties() {
            withProperties = false;
            return this;
        }

        /** One more service property. */
        public Builder property(String key, Object value) {
            properties.put(key, value);
            return this;
        }

        /** One more manifest header, or another value for one. */
        public Builder header(String key, String value) {
            headers.put(key, value);
            return this;
        }

        /** One more clause of Import-Package, such as {@code "com.acme;resolution:=optional"}. */
        public Builder withImport(String clause) {
            imports.append(',').append(clause);
            return this;
        }

        /** A native library for Linux x86-64, with its clause of Bundle-NativeCode. */
        public Builder withNativeLibrary(String path, byte[] content) {
            extra.put(path, content.clone());
            return header("Bundle-NativeCode", path + ";osname=Linux;processor=x86-64,*");
        }

        /** One more file in the jar. */
        public Builder withEntry(String path, byte[] content) {
            extra.put(path, content.clone());
            return this;
        }

        /** One more class, from source. */
        public Builder withSource(String className, String text) {
            sources.put(className, text);
            return this;
        }

        /** Jars and folders to compile against, where the API's own classes were not loaded from files. */
        public Builder classPath(List<Path> value) {
            classPath = List.copyOf(value);
            return this;
        }

        String packageName() {
            return "test.provider.p" + HexFormat.of().toHexDigits(symbolicName.hashCode());
        }

        /** Compiles and packs. */
        public ProviderBundle build() {
            String className = packageName() + "." + CLASS;
            Map<String, String> all = new LinkedHashMap<>(sources);
            all.put(className, new ProviderSource(this).text());
            List<Path> path = classPath.isEmpty()
                    ? SourceCompiler.locations(OpProvider.class, OpTable.class, CpuQueue.class)
                    : classPath;
            Map<String, byte[]> entries = new TreeMap<>(SourceCompiler.compile(all, path));
            entries.put("OSGI-INF/provider.xml", component(className).getBytes(StandardCharsets.UTF_8));
            entries.putAll(extra);
            return new ProviderBundle(symbolicName, className, entries, jar(manifest(), entries));
        }

        private String component(String className) {
            Map<String, @Nullable Object> all = new LinkedHashMap<>();
            if (withProperties) {
                all.put("vt.provider.name", name);
                all.put("vt.provider.priority", priority);
                all.put("vt.provider.device", device.name());
            }
            all.putAll(properties);
            boolean forwards = kernels.values().stream().anyMatch(KernelBehaviour.Forwards.class::isInstance);
            return ComponentXml.of(className, all, forwards);
        }

        private Manifest manifest() {
            Manifest manifest = new Manifest();
            Attributes main = manifest.getMainAttributes();
            main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
            main.putValue("Bundle-ManifestVersion", "2");
            main.putValue("Bundle-SymbolicName", symbolicName);
            main.putValue("Bundle-Version", version);
            main.putValue("Import-Package", """
                dev.vt.api.device;version="[1,2)",dev.vt.api.op;version="[1,2)",dev.vt.api.spi;version="[1,2)",\
                dev.vt.api.tensor;version="[1,2)",dev.vt.backend.cpu;version="[1,2)",dev.vt.ops;version="[1,2)",\
                dev.vt.ops.kernel;version="[1,2)\"\
                """ + imports);
            main.putValue("Service-Component", "OSGI-INF/provider.xml");
            main.putValue("Require-Capability", """
                osgi.ee;filter:="(&(osgi.ee=JavaSE)(version=25))",osgi.extender;filter:=\
                "(&(osgi.extender=osgi.component)(version>=1.4.0)(!(version>=2.0.0)))\"\
                """);
            main.putValue("Provide-Capability", "osgi.service;objectClass:List<String>=\"dev.vt.api.spi.OpProvider\"");
            headers.forEach(main::putValue);
            return manifest;
        }

        private static byte[] jar(Manifest manifest, Map<String, byte[]> entries) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (JarOutputStream jar = new JarOutputStream(out)) {
                ByteArrayOutputStream first = new ByteArrayOutputStream();
                manifest.write(first);
                put(jar, "META-INF/MANIFEST.MF", first.toByteArray());
                for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                    put(jar, entry.getKey(), entry.getValue());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return out.toByteArray();
        }

        private static void put(JarOutputStream jar, String path, byte[] content) throws IOException {
            JarEntry entry = new JarEntry(path);
            entry.setTimeLocal(TIME);
            jar.putNextEntry(entry);
            jar.write(content);
            jar.closeEntry();
        }
    }
}
