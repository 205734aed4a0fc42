package dev.vt.testkit;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles Java source text in this process, from memory to memory. No state, any thread. */
final class SourceCompiler {
    private SourceCompiler() {}

    /**
     * Compiles sources by class name to class files by path inside a jar.
     *
     * @throws IllegalArgumentException with the compiler's messages
     */
    static Map<String, byte[]> compile(Map<String, String> sources, List<Path> classPath) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("this Java runtime has no compiler; run on a JDK");
        }
        List<Text> texts = sources.entrySet().stream()
                .map(e -> new Text(e.getKey(), e.getValue()))
                .toList();
        StringWriter messages = new StringWriter();
        String path = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> options = List.of("-proc:none", "-Xlint:none", "-classpath", path);
        try (Output output = new Output(compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8))) {
            if (!compiler.getTask(messages, output, null, options, null, texts).call()) {
                throw new IllegalArgumentException("the provider's source does not compile:\n" + messages);
            }
            return output.classFiles();
        } catch (java.io.IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The jars or folders that classes were loaded from. */
    static List<Path> locations(Class<?>... classes) {
        return Stream.of(classes).map(SourceCompiler::location).distinct().toList();
    }

    private static Path location(Class<?> type) {
        URL url = type.getProtectionDomain().getCodeSource().getLocation();
        try {
            return Path.of(url.toURI());
        } catch (URISyntaxException | RuntimeException e) {
            throw new IllegalStateException(
                    type + " was loaded from " + url + ", which is no file; give the builder a class path", e);
        }
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(String className, String text) {
            super(URI.create("text:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class ClassFile extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        ClassFile(String path) {
            super(URI.create("memory:///" + path), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ClassFile> files = new LinkedHashMap<>();

        Output(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return files.computeIfAbsent(className.replace('.', '/') + ".class", ClassFile::new);
        }

        Map<String, byte[]> classFiles() {
            Map<String, byte[]> all = new LinkedHashMap<>();
            files.forEach((path, file) -> all.put(path, file.bytes.toByteArray()));
            return all;
        }
    }
}
