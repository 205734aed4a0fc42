package dev.vt.model.tokenizer;

import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A small hand-made vocabulary, written as a GGUF file without tensors. */
final class VocabularyFile {
    static final int NORMAL = 1;
    static final int UNKNOWN = 2;
    static final int CONTROL = 3;
    static final int USER_DEFINED = 4;
    static final int BYTE = 6;

    private final GgufWriter writer = new GgufWriter();
    private final List<String> tokens = new ArrayList<>();
    private final List<Integer> types = new ArrayList<>();
    private final List<Float> scores = new ArrayList<>();
    private final List<String> merges = new ArrayList<>();

    /** The 256 byte tokens of GPT-2, id by byte, then a token for each merge in order: ids from 256 on. */
    static VocabularyFile gpt2(String pre, String... merges) {
        VocabularyFile file = new VocabularyFile();
        file.writer.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", pre);
        for (int b = 0; b < 256; b++) {
            file.token(Tokenizers.byteToken(b), NORMAL);
        }
        for (String merge : merges) {
            file.token(merge.replaceFirst("(?<=.) ", ""), NORMAL);
            file.merges.add(merge);
        }
        return file;
    }

    /** Unknown, begin, end and the 256 byte tokens: ids from 259 on are free. */
    static VocabularyFile sentencePiece() {
        VocabularyFile file = new VocabularyFile();
        file.writer
                .string("tokenizer.ggml.model", "llama")
                .uint32("tokenizer.ggml.unknown_token_id", 0)
                .uint32("tokenizer.ggml.bos_token_id", 1)
                .uint32("tokenizer.ggml.eos_token_id", 2);
        file.token("<unk>", UNKNOWN).token("<s>", CONTROL).token("</s>", CONTROL);
        for (int b = 0; b < 256; b++) {
            file.token(String.format("<0x%02X>", b), BYTE);
        }
        return file;
    }

    VocabularyFile token(String token, int type) {
        return token(token, type, 0);
    }

    VocabularyFile token(String token, int type, float score) {
        tokens.add(token);
        types.add(type);
        scores.add(score);
        return this;
    }

    /** A merge without a token of its own. */
    VocabularyFile merge(String merge) {
        merges.add(merge);
        return this;
    }

    /** For keys of a test's own. */
    GgufWriter keys() {
        return writer;
    }

    Tokenizer tokenizer(Path directory) throws IOException {
        float[] scoreArray = new float[scores.size()];
        IntStream.range(0, scoreArray.length).forEach(i -> scoreArray[i] = scores.get(i));
        writer.strings("tokenizer.ggml.tokens", tokens.toArray(String[]::new))
                .int32s(
                        "tokenizer.ggml.token_type",
                        types.stream().mapToInt(Integer::intValue).toArray())
                .float32s("tokenizer.ggml.scores", scoreArray)
                .strings("tokenizer.ggml.merges", merges.toArray(String[]::new));
        Path path = Files.createTempFile(directory, "vocabulary", ".gguf");
        writer.write(path);
        try (GgufFile file = GgufFile.open(path)) {
            return Tokenizers.of(file);
        }
    }
}
