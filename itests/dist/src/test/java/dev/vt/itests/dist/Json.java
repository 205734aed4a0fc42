package dev.vt.itests.dist;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/** Reads JSON strictly: one text, nothing behind it. No state that changes, any thread. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

    private Json() {}

    static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("expected one JSON text, given:\n" + text, e);
        }
    }

    /** One field of each row, as text. */
    static List<String> column(JsonNode rows, String field) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> row.path(field).asText())
                .toList();
    }

    static List<Integer> integers(JsonNode numbers) {
        List<Integer> all = new ArrayList<>();
        numbers.forEach(n -> all.add(n.asInt()));
        return all;
    }

    static long sum(JsonNode counts) {
        return StreamSupport.stream(counts.spliterator(), false)
                .mapToLong(JsonNode::asLong)
                .sum();
    }
}
