package dev.vt.testkit;

import java.lang.reflect.Array;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes the Declarative Services description of a generated provider. Pure functions. */
final class ComponentXml {
    private ComponentXml() {}

    static String of(String className, Map<String, @Nullable Object> properties, boolean registry) {
        StringBuilder s = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
                .append("<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.4.0\" name=\"")
                .append(escape(className))
                .append("\" deactivate=\"deactivate\">\n");
        properties.forEach((name, value) -> {
            if (value != null) {
                s.append(property(name, value));
            }
        });
        s.append("  <service><provide interface=\"dev.vt.api.spi.OpProvider\"/></service>\n");
        if (registry) {
            s.append("  <reference name=\"registry\" interface=\"dev.vt.api.op.OpRegistry\" bind=\"bindRegistry\"/>\n");
        }
        return s.append("  <implementation class=\"")
                .append(escape(className))
                .append("\"/>\n</scr:component>\n")
                .toString();
    }

    private static String property(String name, Object value) {
        String start = "  <property name=\"" + escape(name) + "\" type=\"" + type(value) + "\"";
        if (!value.getClass().isArray()) {
            return start + " value=\"" + escape(value.toString()) + "\"/>\n";
        }
        StringJoiner lines = new StringJoiner("\n");
        for (int i = 0; i < Array.getLength(value); i++) {
            lines.add(escape(String.valueOf(Array.get(value, i))));
        }
        return start + ">" + lines + "</property>\n";
    }

    private static String type(Object value) {
        Class<?> type = value.getClass().isArray() ? value.getClass().getComponentType() : value.getClass();
        return switch (type.getSimpleName()) {
            case "String" -> "String";
            case "Integer", "int" -> "Integer";
            case "Long", "long" -> "Long";
            case "Double", "double" -> "Double";
            case "Float", "float" -> "Float";
            case "Boolean", "boolean" -> "Boolean";
            case "Byte", "byte" -> "Byte";
            case "Short", "short" -> "Short";
            case "Character", "char" -> "Character";
            default -> throw new IllegalArgumentException("a component property can't be a " + type.getName());
        };
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
