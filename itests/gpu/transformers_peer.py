"""Decode rate of Hugging Face transformers: a Llama of the sizes of Llama-3.2-1B with random bf16 weights, a static cache, and one
compiled step under CUDA graphs. Prints one JSON line for each batch: transformers_peer.py TOKENS BATCH..."""

import argparse
import json
import statistics
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache


def config():
    return LlamaConfig(
        vocab_size=128256,
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=16,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=64,
        max_position_embeddings=131072,
        rms_norm_eps=1e-5,
        rope_theta=500000.0,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
    )


def cache_of(model, batch, length):
    try:
        return StaticCache(config=model.config, max_cache_len=length)
    except TypeError:
        return StaticCache(model.config, batch, length, device="cuda", dtype=torch.bfloat16)


def measure(model, step, batch, prompt, tokens, runs):
    rates = []
    for _ in range(runs):
        cache = cache_of(model, batch, prompt + tokens + 8)
        ids = torch.randint(0, 128256, (batch, prompt), device="cuda")
        place = torch.arange(prompt, device="cuda")
        out = model(input_ids=ids, past_key_values=cache, cache_position=place, use_cache=True, logits_to_keep=1)
        token = out.logits[:, -1:].argmax(-1)
        place = torch.tensor([prompt], device="cuda")
        for _ in range(4):
            token = step(model, token, cache, place).clone()
            place += 1
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(tokens):
            token = step(model, token, cache, place).clone()
            place += 1
        torch.cuda.synchronize()
        rates.append(batch * tokens / (time.perf_counter() - start))
    return rates


def one(model, token, cache, place):
    out = model(input_ids=token, past_key_values=cache, cache_position=place, use_cache=True)
    return out.logits[:, -1:].argmax(-1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tokens", type=int)
    p.add_argument("batch", type=int, nargs="+")
    p.add_argument("--prompt", type=int, default=128)
    p.add_argument("--runs", type=int, default=4)
    p.add_argument("--mode", default="reduce-overhead")
    a = p.parse_args()
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    with torch.device("cuda"):
        torch.set_default_dtype(torch.bfloat16)
        model = LlamaForCausalLM(config()).eval()
    for batch in a.batch:
        start = time.perf_counter()
        torch._dynamo.reset()
        step = torch.compile(one, mode=a.mode, fullgraph=True, dynamic=False) if a.mode != "eager" else one
        with torch.inference_mode():
            rates = measure(model, step, batch, a.prompt, a.tokens, a.runs)
        best = rates[1:] or rates
        print(
            json.dumps(
                {
                    "name": "transformers", "mode": a.mode, "batch": batch, "prompt": a.prompt, "tokens": a.tokens,
                    "tokensPerSecond": round(statistics.median(best), 1), "max": round(max(best), 1),
                    "stepMicros": round(batch * 1e6 / statistics.median(best), 1),
                    "wholeSeconds": round(time.perf_counter() - start, 1),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
