package dev.vt.model.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenStreamTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("A character comes out with its last byte, not before")
    void completeCharacters() throws IOException {
        Tokenizer tokenizer = VocabularyFile.gpt2("gpt-2").tokenizer(directory);
        TokenStream stream = tokenizer.stream();
        String text = "aü€\uD83D\uDC3A!";
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            String character = Character.toString(text.codePointAt(i));
            byte[] bytes = character.getBytes(StandardCharsets.UTF_8);
            for (int k = 0; k < bytes.length; k++) {
                String piece = stream.next(Byte.toUnsignedInt(bytes[k]));
                assertEquals(k == bytes.length - 1 ? character : "", piece);
                out.append(piece);
            }
        }
        assertEquals(text, out.toString());
        assertEquals("", stream.finish());
    }

    @Test
    @DisplayName("Bytes that are no character become U+FFFD and nothing is lost around them")
    void brokenBytes() throws IOException {
        TokenStream stream = VocabularyFile.gpt2("gpt-2").tokenizer(directory).stream();
        assertEquals("\uFFFD", stream.next(0xFF));
        assertEquals("", stream.next(0xE2));
        assertEquals("\uFFFDa", stream.next('a'));
        assertEquals("", stream.next(0xF0));
        assertEquals("", stream.next(0x9F));
        assertEquals("\uFFFD", stream.finish());
        assertEquals("b", stream.next('b'));
        assertEquals("", stream.finish());
    }

    @Test
    @DisplayName("A control token in the middle of a character changes nothing")
    void controlToken() throws IOException {
        TokenStream stream =
                VocabularyFile.gpt2("gpt-2").token("<x>", VocabularyFile.CONTROL).tokenizer(directory).stream();
        assertEquals("", stream.next(0xC3));
        assertEquals("", stream.next(256));
        assertEquals("ü", stream.next(0xBC));
    }
}
