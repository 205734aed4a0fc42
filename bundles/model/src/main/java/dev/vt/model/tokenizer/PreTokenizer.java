package dev.vt.model.tokenizer;

import dev.vt.model.gguf.GgufMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts text into the words inside which GPT-2 style tokenizers merge. A file names its rule; the expressions are those
 * that the models' authors published in their tokenizer files. Each expression cuts the pieces that the one before
 * left: its matches and what lies between them. Immutable; any thread may use it.
 */
final class PreTokenizer {
    static final String KEY = "tokenizer.ggml.pre";

    private static final String GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)";

    /** The expression of Llama 3 and Qwen 2, which differ in how many digits make a word. */
    private static final String LLAMA3 = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|%s"
            + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    private static final String TEKKEN =
            "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
                    + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
                    + "|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    private final List<Pattern> patterns;
    private final boolean wholeWordsFirst;
    private final boolean beginByDefault;

    private PreTokenizer(boolean llama3, String... expressions) {
        wholeWordsFirst = llama3;
        beginByDefault = llama3;
        List<Pattern> compiled = new ArrayList<>();
        for (String expression : expressions) {
            compiled.add(Pattern.compile(expression, Pattern.UNICODE_CHARACTER_CLASS));
        }
        patterns = List.copyOf(compiled);
    }

    /** The rule that a file names; a file that names none means "default". */
    static PreTokenizer of(GgufMetadata metadata) {
        String name = metadata.optionalString(KEY).orElse("default");
        return switch (name) {
            case "default" -> new PreTokenizer(false, "[\\p{P}$+<=>^~|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]");
            case "gpt-2",
                    "phi-2",
                    "mpt",
                    "olmo",
                    "jais",
                    "gigachat",
                    "roberta-bpe",
                    "jina-es",
                    "jina-de",
                    "jina-v1-en",
                    "jina-v2-es",
                    "jina-v2-de",
                    "jina-v2-code" -> new PreTokenizer(false, GPT2);
            case "llama-bpe", "llama3", "llama-v3", "falcon3" ->
                new PreTokenizer(true, LLAMA3.formatted("\\p{N}{1,3}"));
            case "dbrx", "smaug-bpe" -> new PreTokenizer(false, LLAMA3.formatted("\\p{N}{1,3}"));
            case "qwen2", "stablelm2", "deepseek-r1-qwen", "megrez" ->
                new PreTokenizer(false, LLAMA3.formatted("\\p{N}"));
            case "starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b" ->
                new PreTokenizer(false, "\\p{N}", GPT2);
            case "falcon" -> new PreTokenizer(false, "[\\p{P}$+<=>^~|`]+", GPT2, "[0-9][0-9][0-9]");
            case "deepseek-coder" ->
                new PreTokenizer(
                        false,
                        "[\\r\\n]",
                        "\\s?\\p{L}+",
                        "\\s?\\p{P}+",
                        "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+",
                        "\\p{N}");
            case "tekken" -> new PreTokenizer(true, TEKKEN);
            default ->
                throw metadata.error(KEY, "a rule that is supported (see docs/model-files.md)", "'" + name + "'");
        };
    }

    /** True when a word that is a token as it stands is not built from merges. */
    boolean wholeWordsFirst() {
        return wholeWordsFirst;
    }

    /** True when a text begins with the begin token unless the file says otherwise. */
    boolean beginByDefault() {
        return beginByDefault;
    }

    /** The words of a text in order; together they are the text. */
    List<String> words(String text) {
        List<String> pieces = List.of(text);
        for (Pattern pattern : patterns) {
            List<String> cut = new ArrayList<>();
            for (String piece : pieces) {
                cut(pattern, piece, cut);
            }
            pieces = cut;
        }
        return pieces;
    }

    private static void cut(Pattern pattern, String piece, List<String> out) {
        Matcher matcher = pattern.matcher(piece);
        int start = 0;
        while (matcher.find()) {
            if (matcher.start() > start) {
                out.add(piece.substring(start, matcher.start()));
            }
            if (matcher.end() > matcher.start()) {
                out.add(matcher.group());
            }
            start = matcher.end();
        }
        if (start < piece.length()) {
            out.add(piece.substring(start));
        }
    }
}
