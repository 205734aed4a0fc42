package dev.vt.model.tokenizer;

import dev.vt.model.gguf.GgufMetadata;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/**
 * The byte-level byte-pair tokenizer of GPT-2 (Radford et al. 2019; Sennrich et al. 2016) as GGUF files carry it under
 * the name "gpt2": text is cut into words, each word's bytes are merged in the order of the file's list. Immutable; any
 * thread may use it.
 */
final class BpeTokenizer implements Tokenizer {
    private static final String MERGES = "tokenizer.ggml.merges";

    private final Vocabulary vocabulary;
    private final TextSplitter splitter;
    private final PreTokenizer preTokenizer;
    private final PairTable merges;
    private final int[] byteIds = new int[256];

    BpeTokenizer(GgufMetadata metadata) {
        preTokenizer = PreTokenizer.of(metadata);
        vocabulary = new Vocabulary(metadata, preTokenizer.beginByDefault());
        splitter = new TextSplitter(vocabulary);
        merges = merges(metadata, vocabulary);
        for (int b = 0; b < 256; b++) {
            byteIds[b] = vocabulary.find(String.valueOf(ByteAlphabet.character(b)));
        }
    }

    @Override
    public int size() {
        return vocabulary.size();
    }

    @Override
    public int[] encode(String text, boolean control) {
        IntList out = new IntList();
        vocabulary.open(out);
        splitter.split(
                text, control, piece -> preTokenizer.words(piece).forEach(word -> encodeWord(word, out)), out::add);
        vocabulary.close(out);
        return out.toArray();
    }

    @Override
    public byte[] bytes(int id) {
        String token = vocabulary.token(id);
        return switch (vocabulary.type(id)) {
            case CONTROL -> new byte[0];
            case USER_DEFINED -> token.getBytes(StandardCharsets.UTF_8);
            case NORMAL, UNUSED, UNKNOWN, BYTE -> ByteAlphabet.bytes(token);
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
        return text(ids);
    }

    private void encodeWord(String word, IntList out) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        if (preTokenizer.wholeWordsFirst()) {
            int whole = vocabulary.find(ByteAlphabet.spell(bytes));
            if (whole >= 0) {
                out.add(whole);
                return;
            }
        }
        int[] ids = new int[bytes.length];
        int[] bounds = new int[bytes.length + 1];
        for (int i = 0; i < bytes.length; i++) {
            ids[i] = byteIds[Byte.toUnsignedInt(bytes[i])];
            bounds[i + 1] = i + 1;
        }
        new Merger(merges, ids, bounds).run((id, start, end) -> vocabulary.addByte(out, id, bytes[start]));
    }

    private static PairTable merges(GgufMetadata metadata, Vocabulary vocabulary) {
        String[] lines = metadata.strings(MERGES);
        PairTable table = new PairTable(lines.length);
        for (int rank = 0; rank < lines.length; rank++) {
            // Bytes are spelled without spaces, so the one that parts the pair can only be the first after one
            // character.
            int space = lines[rank].indexOf(' ', 1);
            if (space < 0 || space == lines[rank].length() - 1) {
                throw metadata.error(
                        MERGES, "two tokens with a space between", "'" + lines[rank] + "' as merge " + rank);
            }
            int left = vocabulary.find(lines[rank].substring(0, space));
            int right = vocabulary.find(lines[rank].substring(space + 1));
            int merged = vocabulary.find(lines[rank].substring(0, space) + lines[rank].substring(space + 1));
            if (left < 0 || right < 0 || merged < 0) {
                throw metadata.error(MERGES, "merges of tokens into tokens", "'" + lines[rank] + "' as merge " + rank);
            }
            table.add(left, right, rank, merged);
        }
        return table;
    }
}
