/** GGUF files, tokenizers and decoders over the ops. */
module dev.vt.model {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires transitive dev.vt.api;
    requires transitive dev.vt.ops;

    exports dev.vt.model;
    exports dev.vt.model.gguf;
    exports dev.vt.model.tokenizer;
}
