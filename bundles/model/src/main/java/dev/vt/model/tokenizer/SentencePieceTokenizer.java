package dev.vt.model.tokenizer;

import dev.vt.model.gguf.GgufMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The byte-pair tokenizer of SentencePiece (Kudo and Richardson 2018) as GGUF files carry it under the name "llama": a
 * merge is allowed when its result is a token, the highest score goes first, and characters without a token become
 * bytes. Text is taken as it is, without Unicode normalisation. Immutable; any thread may use it.
 */
final class SentencePieceTokenizer implements Tokenizer {
    /** What stands for a space in the vocabulary. */
    private static final char SPACE = '\u2581';

    private static final String SCORES = "tokenizer.ggml.scores";
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);

    private final Vocabulary vocabulary;
    private final TextSplitter splitter;
    private final int[] ranks;
    private final int[] byteIds = new int[256];
    private final boolean spaceInFront;
    private final int longestToken;
    /** True when no token goes on behind a character with a space, so that merges never cross from word to word. */
    private final boolean wordsApart;

    SentencePieceTokenizer(GgufMetadata metadata) {
        vocabulary = new Vocabulary(metadata, true);
        splitter = new TextSplitter(vocabulary);
        ranks = ranks(metadata, vocabulary.size());
        spaceInFront =
                metadata.optionalBoolean("tokenizer.ggml.add_space_prefix").orElse(true);
        Arrays.fill(byteIds, -1);
        int longest = 0;
        for (int id = 0; id < vocabulary.size(); id++) {
            if (vocabulary.type(id) == TokenType.BYTE) {
                byteIds[byteValue(metadata, id)] = id;
            }
            longest = Math.max(longest, vocabulary.token(id).length());
        }
        longestToken = longest;
        wordsApart = IntStream.range(0, vocabulary.size()).noneMatch(id -> nextWord(vocabulary.token(id), 0) >= 0);
    }

    @Override
    public int size() {
        return vocabulary.size();
    }

    @Override
    public int[] encode(String text, boolean control) {
        IntList out = new IntList();
        vocabulary.open(out);
        splitter.split(text, control, piece -> encodePiece(piece, out), out::add);
        vocabulary.close(out);
        return out.toArray();
    }

    @Override
    public byte[] bytes(int id) {
        String token = vocabulary.token(id);
        return switch (vocabulary.type(id)) {
            case CONTROL -> new byte[0];
            case UNKNOWN -> REPLACEMENT.clone();
            case BYTE -> new byte[] {(byte) Integer.parseInt(token, 3, 5, 16)};
            case NORMAL, USER_DEFINED, UNUSED -> token.replace(SPACE, ' ').getBytes(StandardCharsets.UTF_8);
        };
    }

    @Override
    public String token(int id) {
        return vocabulary.token(id);
    }

    @Override
    public OptionalInt begin() {
        return vocabulary.begin();
    }

    @Override
    public OptionalInt end() {
        return vocabulary.end();
    }

    @Override
    public boolean isEnd(int id) {
        return vocabulary.isEnd(id);
    }

    @Override
    public String decode(int... ids) {
        String text = text(ids);
        return spaceInFront && text.startsWith(" ") ? text.substring(1) : text;
    }

    private void encodePiece(String piece, IntList out) {
        String text = (spaceInFront ? " " + piece : piece).replace(' ', SPACE);
        int start = 0;
        if (wordsApart) {
            // The same result as in one go, with small queues.
            for (int end = nextWord(text, 0); end >= 0; end = nextWord(text, end)) {
                encodeWord(text.substring(start, end), out);
                start = end;
            }
        }
        encodeWord(text.substring(start), out);
    }

    /** Where the next space behind another character is, after {@code from}; or -1. */
    private static int nextWord(String text, int from) {
        int space = text.indexOf(SPACE, from + 1);
        while (space >= 0 && text.charAt(space - 1) == SPACE) {
            space = text.indexOf(SPACE, space + 1);
        }
        return space;
    }

    private void encodeWord(String text, IntList out) {
        int[] bounds = new int[text.codePointCount(0, text.length()) + 1];
        int[] ids = new int[bounds.length - 1];
        for (int i = 0; i < ids.length; i++) {
            bounds[i + 1] = text.offsetByCodePoints(bounds[i], 1);
            ids[i] = vocabulary.find(text.substring(bounds[i], bounds[i + 1]));
        }
        new Merger((left, right, start, end) -> pair(text, start, end), ids, bounds)
                .run((id, start, end) -> emit(out, id, text, start, end));
    }

    private long pair(String text, int start, int end) {
        if (end - start > longestToken) {
            return Merger.Rules.NONE;
        }
        int id = vocabulary.find(text.substring(start, end));
        return id < 0 ? Merger.Rules.NONE : Merger.Rules.merge(ranks[id], id);
    }

    private void emit(IntList out, int id, String text, int start, int end) {
        if (id >= 0) {
            out.add(id);
            return;
        }
        for (byte b : text.substring(start, end).getBytes(StandardCharsets.UTF_8)) {
            vocabulary.addByte(out, byteIds[Byte.toUnsignedInt(b)], b);
        }
    }

    /** Scores as unsigned ranks: the highest score has the lowest. */
    private static int[] ranks(GgufMetadata metadata, int size) {
        float[] scores = metadata.floats(SCORES);
        if (scores.length != size) {
            throw metadata.error(SCORES, size + " scores, one a token", Integer.toString(scores.length));
        }
        int[] ranks = new int[size];
        for (int i = 0; i < size; i++) {
            if (Float.isNaN(scores[i])) {
                throw metadata.error(SCORES, "numbers", "NaN for token " + i);
            }
            int bits = Float.floatToIntBits(scores[i] + 0f); // -0 becomes 0
            int ascending = bits ^ (bits >> 31 & Integer.MAX_VALUE);
            ranks[i] = Integer.MAX_VALUE - ascending;
        }
        return ranks;
    }

    private int byteValue(GgufMetadata metadata, int id) {
        String token = vocabulary.token(id);
        if (!token.matches("<0x[0-9A-Fa-f]{2}>")) {
            throw metadata.error(Vocabulary.TOKENS, "byte tokens like '<0x0A>'", "'" + token + "' as token " + id);
        }
        return Integer.parseInt(token, 3, 5, 16);
    }
}
