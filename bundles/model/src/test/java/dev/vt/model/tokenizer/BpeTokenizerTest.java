package dev.vt.model.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BpeTokenizerTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("Merges go by their place in the list, and the leftmost among equals")
    void mergeOrder() throws IOException {
        // The merges' tokens are 256 to 262 in this order.
        Tokenizer tokenizer = VocabularyFile.gpt2("gpt-2", "b c", "h e", "l l", "he ll", "hell o", "a b", "\u0120 w")
                .tokenizer(directory);
        assertArrayEquals(new int[] {260, 262, 'o', 'r', 'l', 'd'}, tokenizer.encode("hello world"));
        assertArrayEquals(new int[] {'a', 256}, tokenizer.encode("abc"));
        assertArrayEquals(new int[] {258, 'l'}, tokenizer.encode("lll"));
        assertArrayEquals(new int[] {258, 258, 258}, tokenizer.encode("llllll"));
        assertArrayEquals(new int[] {257, 'l', 'p'}, tokenizer.encode("help"));
        assertArrayEquals(new int[] {}, tokenizer.encode(""));
        assertEquals("hello world", tokenizer.decode(260, 262, 'o', 'r', 'l', 'd'));
    }

    @Test
    @DisplayName("Every byte of a text has a token and comes back")
    void bytes() throws IOException {
        Tokenizer tokenizer = VocabularyFile.gpt2("gpt-2").tokenizer(directory);
        assertArrayEquals(
                new int[] {0xF0, 0x9F, 0x90, 0xBA, ' ', 0xC3, 0xBC, '\t', '\n', 0, 0x7F, 0xC2, 0xAD},
                tokenizer.encode("\uD83D\uDC3A ü\t\n\0\u007F\u00AD"));
        for (int b = 0; b < 256; b++) {
            assertArrayEquals(new byte[] {(byte) b}, tokenizer.bytes(b));
        }
    }

    @Test
    @DisplayName("Control tokens in a text are plain text unless asked for, end tokens are known by key and by name")
    void controlTokens() throws IOException {
        VocabularyFile file = VocabularyFile.gpt2("qwen2")
                .token("<|im_start|>", VocabularyFile.CONTROL)
                .token("<|im_end|>", VocabularyFile.CONTROL) // 256, 257
                .token("<|endoftext|>", VocabularyFile.CONTROL)
                .token("<think>", VocabularyFile.USER_DEFINED); // 258, 259
        file.keys().uint32("tokenizer.ggml.eos_token_id", 258);
        Tokenizer tokenizer = file.tokenizer(directory);
        assertArrayEquals(new int[] {256, 'h', 'i', 257}, tokenizer.encode("<|im_start|>hi<|im_end|>", true));
        assertEquals(10, tokenizer.encode("<|im_end|>").length);
        assertArrayEquals(new int[] {'a', 259, 'b'}, tokenizer.encode("a<think>b"));
        assertEquals("hi", tokenizer.decode(256, 'h', 'i', 257));
        assertEquals("<think>", tokenizer.decode(259));
        assertTrue(tokenizer.isEnd(257));
        assertTrue(tokenizer.isEnd(258));
        assertFalse(tokenizer.isEnd(256));
        assertEquals(258, tokenizer.end().orElse(-1));
        assertTrue(tokenizer.begin().isEmpty());
    }

    @Test
    @DisplayName("Llama 3 takes a word that is a token as it stands, and begins a text with the begin token")
    void llama3() throws IOException {
        VocabularyFile file = VocabularyFile.gpt2("llama-bpe", "a b") // 256
                .token("cab", VocabularyFile.NORMAL)
                .token("<|begin_of_text|>", VocabularyFile.CONTROL); // 257, 258
        file.keys().uint32("tokenizer.ggml.bos_token_id", 258);
        Tokenizer tokenizer = file.tokenizer(directory);
        assertArrayEquals(new int[] {258, 257}, tokenizer.encode("cab"));
        assertArrayEquals(new int[] {258, 'c', 256, 's'}, tokenizer.encode("cabs"));
    }

    @Test
    @DisplayName("The begin and end tokens are added where the file says so")
    void frame() throws IOException {
        VocabularyFile file = VocabularyFile.gpt2("gpt-2").token("<s>", VocabularyFile.CONTROL);
        file.keys()
                .uint32("tokenizer.ggml.bos_token_id", 256)
                .uint32("tokenizer.ggml.eos_token_id", 256)
                .bool("tokenizer.ggml.add_bos_token", true)
                .bool("tokenizer.ggml.add_eos_token", true);
        assertArrayEquals(new int[] {256, 'x', 256}, file.tokenizer(directory).encode("x"));
        VocabularyFile none = VocabularyFile.gpt2("gpt-2");
        none.keys().bool("tokenizer.ggml.add_bos_token", true);
        assertThrows(VtException.class, () -> none.tokenizer(directory));
    }

    @Test
    @DisplayName("Words are cut as the models' published expressions say")
    void words() throws IOException {
        assertWords(
                "gpt-2",
                "I'll go  to 12345\n\nBonn!",
                "I",
                "'ll",
                " go",
                " ",
                " to",
                " 12345",
                "\n",
                "\n",
                "Bonn",
                "!");
        assertWords(
                "llama-bpe",
                "I'LL go  to 12345\n\nBonn!",
                "I",
                "'LL",
                " go",
                " ",
                " to",
                " ",
                "123",
                "45",
                "\n\n",
                "Bonn",
                "!");
        assertWords(
                "qwen2",
                "I'll go  to 123\n\nBonn!?\n x",
                "I",
                "'ll",
                " go",
                " ",
                " to",
                " ",
                "1",
                "2",
                "3",
                "\n\n",
                "Bonn",
                "!?\n",
                " x");
        assertWords("smollm", "a 12  b", "a", " ", "1", "2", " ", " b");
        assertWords("default", "a, 1234", "a", ",", " ", "123", "4");
        assertWords("falcon", "x=1234 y", "x", "=", "123", "4", " y");
        assertWords("deepseek-coder", "a 12\n 日本x", "a", " ", "1", "2", "\n", " ", "日本", "x");
        assertWords("tekken", "HelloWorld 12", "Hello", "World", " ", "1", "2");
        assertWords("gpt-2", "\u3000über Ω٣", "\u3000", "über", " Ω", "٣");
    }

    private void assertWords(String pre, String text, String... words) throws IOException {
        Path path = directory.resolve(pre + ".gguf");
        new GgufWriter().string("tokenizer.ggml.pre", pre).write(path);
        try (GgufFile file = GgufFile.open(path)) {
            assertEquals(List.of(words), PreTokenizer.of(file.metadata()).words(text));
        }
    }

    @Test
    @DisplayName("Unknown rules, unknown kinds of tokenizer and broken merges are refused by name")
    void unsupported() {
        assertRefused("key 'tokenizer.ggml.pre'", "given 'klingon'", VocabularyFile.gpt2("klingon"));
        assertRefused(
                "key 'tokenizer.ggml.merges'",
                "given 'ab' as merge 0",
                VocabularyFile.gpt2("gpt-2").merge("ab"));
        assertRefused(
                "key 'tokenizer.ggml.merges'",
                "given 'a b' as merge 0",
                VocabularyFile.gpt2("gpt-2").merge("a b"));
        Path path = directory.resolve("bert.gguf");
        VtException e = assertThrows(VtException.class, () -> {
            new GgufWriter().string("tokenizer.ggml.model", "bert").write(path);
            try (GgufFile file = GgufFile.open(path)) {
                Tokenizers.of(file);
            }
        });
        assertEquals(
                path
                        + ": key 'tokenizer.ggml.model': expected 'llama' or 'gpt2', given 'bert', a tokenizer that is"
                        + " not supported",
                e.getMessage());
        assertEquals(ErrorCode.FORMAT, e.code());
    }

    private void assertRefused(String key, String given, VocabularyFile file) {
        String message =
                assertThrows(VtException.class, () -> file.tokenizer(directory)).getMessage();
        assertTrue(message.contains(key) && message.contains(given), message);
    }
}
