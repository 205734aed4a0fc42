package dev.vt.model.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.model.DefaultModel;
import dev.vt.model.gguf.GgufFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SentencePieceTokenizerTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName(
            "The embedded model's tokenizer gives the ids that SentencePiece and llama.cpp give, and the text again")
    void goldens() throws IOException {
        Tokenizer tokenizer = embedded();
        List<String> lines = goldenLines();
        assertEquals(20, lines.size());
        for (String line : lines) {
            int[] ids = Arrays.stream(line.substring(0, line.indexOf('\t')).split(" "))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            String text = line.substring(line.indexOf('\t') + 1).translateEscapes();
            assertArrayEquals(ids, tokenizer.encode(text), text);
            assertEquals(text, tokenizer.decode(ids));
        }
    }

    private List<String> goldenLines() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                        Objects.requireNonNull(getClass().getResourceAsStream("tales-encodings.txt")),
                        StandardCharsets.UTF_8));
                Stream<String> lines = reader.lines()) {
            return lines.filter(line -> !line.startsWith("#")).toList();
        }
    }

    private Tokenizer embedded() {
        try (GgufFile file = GgufFile.open(DefaultModel.path(directory))) {
            return Tokenizers.of(file);
        }
    }

    @Test
    @DisplayName("The highest score merges first, and the leftmost among equals")
    void mergeOrder() throws IOException {
        Tokenizer tokenizer = plain().token("a", VocabularyFile.NORMAL, -10) // 259
                .token("b", VocabularyFile.NORMAL, -10) // 260
                .token("ab", VocabularyFile.NORMAL, -2) // 261
                .token("ba", VocabularyFile.NORMAL, -1) // 262
                .token("aa", VocabularyFile.NORMAL, -3) // 263
                .token("aba", VocabularyFile.NORMAL, 5) // 264
                .tokenizer(directory);
        assertArrayEquals(new int[] {1, 264, 260}, tokenizer.encode("abab"));
        assertArrayEquals(new int[] {1, 264}, tokenizer.encode("aba"));
        assertArrayEquals(new int[] {1, 263, 259}, tokenizer.encode("aaa"));
    }

    @Test
    @DisplayName("A character without a token becomes its bytes")
    void bytes() throws IOException {
        Tokenizer tokenizer = plain().tokenizer(directory);
        assertArrayEquals(new int[] {1, 3 + 0xE2, 3 + 0x82, 3 + 0xAC, 3 + '\n'}, tokenizer.encode("€\n"));
        assertEquals("€\n", tokenizer.decode(tokenizer.encode("€\n")));
        assertArrayEquals(new byte[] {(byte) 0xE2}, tokenizer.bytes(3 + 0xE2));
    }

    @Test
    @DisplayName("Control tokens in a text are plain text unless asked for")
    void controlTokens() throws IOException {
        Tokenizer tokenizer = plain().token("</", VocabularyFile.NORMAL)
                .token("</s", VocabularyFile.NORMAL)
                .tokenizer(directory);
        int[] plain = tokenizer.encode("</s>");
        assertArrayEquals(new int[] {1, 260, 3 + '>'}, plain);
        assertArrayEquals(new int[] {1, 3 + 'x', 2, 3 + 'y'}, tokenizer.encode("x</s>y", true));
        assertEquals("xy", tokenizer.decode(1, 3 + 'x', 2, 3 + 'y'));
        assertTrue(tokenizer.isEnd(2));
        assertFalse(tokenizer.isEnd(1));
        assertEquals("</s>", tokenizer.token(2));
        assertArrayEquals(new int[] {1}, tokenizer.encode(""));
    }

    @Test
    @DisplayName("A token that a vocabulary defines as a whole is matched first, the longest one")
    void userDefined() throws IOException {
        Tokenizer tokenizer = plain().token("aa", VocabularyFile.USER_DEFINED)
                .token("aaa", VocabularyFile.USER_DEFINED) // 259, 260
                .tokenizer(directory);
        assertArrayEquals(new int[] {1, 260, 259, 3 + 'b'}, tokenizer.encode("aaaaab"));
    }

    @Test
    @DisplayName("A space goes in front where the file wants one and is taken away when decoding")
    void spaceInFront() throws IOException {
        Tokenizer tokenizer = VocabularyFile.sentencePiece()
                .token("\u2581", VocabularyFile.NORMAL)
                .tokenizer(directory);
        assertArrayEquals(new int[] {1, 259, 3 + 'a', 259, 3 + 'b'}, tokenizer.encode("a b"));
        assertEquals("a b", tokenizer.decode(1, 259, 3 + 'a', 259, 3 + 'b'));
        assertEquals(" a", tokenizer.text(259, 3 + 'a'));
    }

    @Test
    @DisplayName("A token that goes on behind a space is found, though words are else merged one by one")
    void tokenAcrossWords() throws IOException {
        Tokenizer tokenizer = plain().token("a", VocabularyFile.NORMAL) // 259
                .token("\u2581", VocabularyFile.NORMAL)
                .token("a\u2581", VocabularyFile.NORMAL, 1)
                .token("a\u2581a", VocabularyFile.NORMAL, 2)
                .tokenizer(directory);
        assertArrayEquals(new int[] {1, 262}, tokenizer.encode("a a"));
        assertArrayEquals(new int[] {1, 261, 260, 259}, tokenizer.encode("a  a"));
    }

    @Test
    @DisplayName("A vocabulary that contradicts itself is refused by its key")
    void badVocabulary() {
        assertRefused("tokenizer.ggml.tokens", VocabularyFile.sentencePiece().token("<0xZZ>", VocabularyFile.BYTE));
        assertRefused(
                "tokenizer.ggml.scores", VocabularyFile.sentencePiece().token("a", VocabularyFile.NORMAL, Float.NaN));
        assertRefused(
                "tokenizer.ggml.token_type", VocabularyFile.sentencePiece().token("a", 7));
        VocabularyFile eot = VocabularyFile.sentencePiece();
        eot.keys().uint32("tokenizer.ggml.eot_token_id", 259);
        assertRefused("tokenizer.ggml.eot_token_id", eot);
    }

    private void assertRefused(String key, VocabularyFile file) {
        String message =
                assertThrows(VtException.class, () -> file.tokenizer(directory)).getMessage();
        assertTrue(message.contains("key '" + key + "'"), message);
    }

    @Test
    @DisplayName("An id outside the vocabulary is refused")
    void unknownId() throws IOException {
        Tokenizer tokenizer = plain().tokenizer(directory);
        assertThrows(VtException.class, () -> tokenizer.bytes(-1));
        assertThrows(VtException.class, () -> tokenizer.token(tokenizer.size()));
    }

    /** A vocabulary that puts no space in front. */
    private static VocabularyFile plain() {
        VocabularyFile file = VocabularyFile.sentencePiece();
        file.keys().bool("tokenizer.ggml.add_space_prefix", false);
        return file;
    }
}
