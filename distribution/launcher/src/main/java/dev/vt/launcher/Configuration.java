package dev.vt.launcher;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The framework properties: {@code conf/framework.properties} with {@code ${vt.home}} and {@code ${vt.cache}} replaced. A
 * system property of the same name wins over the file.
 */
final class Configuration {
    static final String HOME = "vt.home";
    static final String CACHE = "vt.cache";
    static final String CONFIGURATION_FOLDER = "felix.cm.dir";

    private Configuration() {}

    static Map<String, String> read(Path home, Path cache) throws IOException {
        Path file = home.resolve("conf").resolve("framework.properties");
        Properties lines = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            lines.load(in);
        }
        Map<String, String> all = new TreeMap<>();
        for (String key : lines.stringPropertyNames()) {
            String value = System.getProperty(key, lines.getProperty(key));
            all.put(key, value.replace("${vt.home}", home.toString()).replace("${vt.cache}", cache.toString()));
        }
        all.put(HOME, home.toString());
        all.put(CACHE, cache.toString());
        keepWritable(all, cache);
        return all;
    }

    /** Settings persist beside the program; where that folder can't be written they last as long as the process. */
    private static void keepWritable(Map<String, String> all, Path cache) {
        String folder = all.get(CONFIGURATION_FOLDER);
        if (folder != null && !Folders.writable(Path.of(folder))) {
            all.put(CONFIGURATION_FOLDER, cache.resolve("cm").toString());
        }
    }
}
