package dev.vt.model.tokenizer;

import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufMetadata;

/** Makes the tokenizer that a model file names. Stateless. */
public final class Tokenizers {
    private static final String MODEL = "tokenizer.ggml.model";

    private Tokenizers() {}

    /** How GPT-2 style vocabularies spell a byte. */
    public static String byteToken(int value) {
        return String.valueOf(ByteAlphabet.character(value));
    }

    /** The tokenizer of a file; it copies what it needs and outlives the file. */
    public static Tokenizer of(GgufFile file) {
        GgufMetadata metadata = file.metadata();
        String model = metadata.string(MODEL);
        return switch (model) {
            case "llama" -> new SentencePieceTokenizer(metadata);
            case "gpt2" -> new BpeTokenizer(metadata);
            default ->
                throw metadata.error(MODEL, "'llama' or 'gpt2'", "'" + model + "', a tokenizer that is not supported");
        };
    }
}
