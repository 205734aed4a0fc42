package dev.vt.model.tokenizer;

import dev.vt.api.VtException;
import dev.vt.model.gguf.GgufMetadata;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What all kinds of tokenizers read from a file: the tokens, their types and the tokens that frame a text. Checked when
 * it is made. Immutable; any thread may use it.
 */
final class Vocabulary {
    static final String TOKENS = "tokenizer.ggml.tokens";
    private static final String TYPES = "tokenizer.ggml.token_type";

    /** Control tokens that end a turn in public chat models; files name only one of them by key. */
    private static final Set<String> END_NAMES = Set.of(
            "<|endoftext|>",
            "<|end_of_text|>",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|im_end|>",
            "<|end|>",
            "<end_of_turn>",
            "<|EOT|>");

    private final String[] tokens;
    private final TokenType[] types;
    private final Map<String, Integer> plain;
    private final OptionalInt begin;
    private final OptionalInt end;
    private final OptionalInt unknown;
    private final boolean addBegin;
    private final boolean addEnd;
    private final BitSet ends = new BitSet();

    /** {@code addBegin}: whether a begin token is put in front where the file doesn't say. */
    Vocabulary(GgufMetadata metadata, boolean addBegin) {
        tokens = metadata.strings(TOKENS);
        if (tokens.length == 0) {
            throw metadata.error(TOKENS, "at least one token", "none");
        }
        types = types(metadata, tokens.length);
        plain = HashMap.newHashMap(tokens.length);
        for (int id = 0; id < tokens.length; id++) {
            if (types[id] != TokenType.CONTROL && types[id] != TokenType.UNKNOWN && types[id] != TokenType.BYTE) {
                plain.put(tokens[id], id);
            }
        }
        begin = id(metadata, "tokenizer.ggml.bos_token_id");
        end = id(metadata, "tokenizer.ggml.eos_token_id");
        unknown = id(metadata, "tokenizer.ggml.unknown_token_id");
        this.addBegin = flag(metadata, "tokenizer.ggml.add_bos_token", addBegin && begin.isPresent(), begin);
        this.addEnd = flag(metadata, "tokenizer.ggml.add_eos_token", false, end);
        end.ifPresent(ends::set);
        id(metadata, "tokenizer.ggml.eot_token_id").ifPresent(ends::set);
        id(metadata, "tokenizer.ggml.eom_token_id").ifPresent(ends::set);
        for (int id = 0; id < tokens.length; id++) {
            if (types[id] == TokenType.CONTROL && END_NAMES.contains(tokens[id])) {
                ends.set(id);
            }
        }
    }

    int size() {
        return tokens.length;
    }

    String token(int id) {
        return tokens[checked(id)];
    }

    TokenType type(int id) {
        return types[checked(id)];
    }

    /** The id of a token that plain text may become, or -1: never a control token, nor the name of a byte. */
    int find(String text) {
        return plain.getOrDefault(text, -1);
    }

    OptionalInt begin() {
        return begin;
    }

    OptionalInt end() {
        return end;
    }

    OptionalInt unknown() {
        return unknown;
    }

    boolean isEnd(int id) {
        return ends.get(checked(id));
    }

    /** Puts the begin token in front, where wanted. */
    void open(IntList out) {
        if (addBegin) {
            out.add(begin.getAsInt());
        }
    }

    /** Puts the end token behind, where wanted. */
    void close(IntList out) {
        if (addEnd) {
            out.add(end.getAsInt());
        }
    }

    /** Adds the token for a byte that no other token covers. */
    void addByte(IntList out, int id, int value) {
        if (id >= 0) {
            out.add(id);
        } else {
            out.add(unknown.orElseThrow(() -> VtException.invalidArgument(String.format(
                    "tokenizer: text: expected bytes that the vocabulary has tokens for, given 0x%02X",
                    value & 0xFF))));
        }
    }

    private int checked(int id) {
        if (id < 0 || id >= tokens.length) {
            throw VtException.invalidArgument(
                    "tokenizer: token: expected 0 to " + (tokens.length - 1) + ", given " + id);
        }
        return id;
    }

    private static TokenType[] types(GgufMetadata metadata, int size) {
        TokenType[] types = new TokenType[size];
        if (!metadata.has(TYPES)) {
            Arrays.fill(types, TokenType.NORMAL);
            return types;
        }
        int[] numbers = metadata.ints(TYPES);
        if (numbers.length != size) {
            throw metadata.error(TYPES, size + " types, one a token", Integer.toString(numbers.length));
        }
        for (int i = 0; i < size; i++) {
            TokenType type = TokenType.of(numbers[i]);
            if (type == null) {
                throw metadata.error(TYPES, "types of 1 to 6", numbers[i] + " for token " + i);
            }
            types[i] = type;
        }
        return types;
    }

    private OptionalInt id(GgufMetadata metadata, String key) {
        OptionalLong id = metadata.optionalLong(key);
        if (id.isEmpty()) {
            return OptionalInt.empty();
        }
        if (id.getAsLong() < 0 || id.getAsLong() >= tokens.length) {
            throw metadata.error(key, "0 to " + (tokens.length - 1), Long.toString(id.getAsLong()));
        }
        return OptionalInt.of((int) id.getAsLong());
    }

    private static boolean flag(GgufMetadata metadata, String key, boolean otherwise, OptionalInt id) {
        boolean on = metadata.optionalBoolean(key).orElse(otherwise);
        if (on && id.isEmpty()) {
            throw metadata.error(key, "false in a file that names no such token", "true");
        }
        return on;
    }
}
