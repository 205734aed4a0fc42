package dev.vt.shell.internal;

import java.lang.reflect.Proxy;
import java.util.Dictionary;
import java.util.Hashtable;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

/** A ConfigurationAdmin that has one configuration in memory, that of the registry. */
final class ConfigurationDouble {
    final Dictionary<String, Object> properties = new Hashtable<>();

    ConfigurationAdmin admin() {
        Configuration configuration = of(Configuration.class, (name, arguments) -> switch (name) {
            case "getProperties" -> copy(properties);
            case "update" -> {
                Dictionary<?, ?> given = (Dictionary<?, ?>) arguments[0];
                given.keys().asIterator().forEachRemaining(k -> properties.put((String) k, given.get(k)));
                yield null;
            }
            default -> throw new UnsupportedOperationException(name);
        });
        return of(ConfigurationAdmin.class, (name, arguments) -> {
            if (!name.equals("getConfiguration")
                    || !arguments[0].equals("dev.vt.registry")
                    || !"?".equals(arguments[1])) {
                throw new UnsupportedOperationException(name);
            }
            return configuration;
        });
    }

    private static Dictionary<String, Object> copy(Dictionary<String, Object> from) {
        Dictionary<String, Object> out = new Hashtable<>();
        from.keys().asIterator().forEachRemaining(k -> out.put(k, from.get(k)));
        return out;
    }

    private interface Answer {
        Object to(String method, Object[] arguments);
    }

    private static <T> T of(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }
}
