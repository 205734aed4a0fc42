"""A language model of random weights decodes: tokens a second, beside what the bytes of a step allow and beside transformers."""

import json
import os
import shlex
import subprocess
import sys

from correct import DEVICE, QUICKLY
from product import Failure

PRESET, TYPE = "llama-3.2-1b", "bf16"
BATCHES = [1, 8, 32]
PROMPT, TOKENS = 128, 128

#: A step has many small kernels beside those that read the weights: what it is to reach of the bandwidth of a copy.
OF_COPY = 0.6


def model(product, preset=PRESET):
    """Written once into the folder of the run."""
    path = os.path.join(product.out, preset + ".gguf")
    if not os.path.exists(path):
        ended = product.run("vt:generate-model --preset %s --type %s %s" % (preset, TYPE, shlex.quote(path)), timeout=300)
        if ended.code != 0:
            raise Failure(ended.complaint())
    return path


def decode(product, report):
    path = model(product)
    told = product.json(
        "vt:bench-model --model %s --device %s --batch %s --prompt %d --tokens %d" % (
            shlex.quote(path), DEVICE, ",".join(map(str, BATCHES)), PROMPT, TOKENS),
        options=QUICKLY, timeout=400)
    peers = others(product)
    for r in told["results"]:
        batch, rate = r["batch"], r["tokensPerSecond"]
        peer = peers.get(batch)
        report.add(
            "decode",
            PRESET,
            "%s, batch %d, %d tokens behind %d; graph: %s; copy %.0f GB/s" % (
                told["activations"], batch, TOKENS, PROMPT, r["graph"], told["copyBytesPerSecond"] / 1e9),
            figure=rate,
            unit="tokens/s",
            floor=batch / r["floor"],
            peer=peer,
            peer_name="transformers" if peer else "",
            ok=r["floor"] / r["step"] >= OF_COPY or (peer is not None and rate >= peer),
        )


def others(product):
    """Tokens a second of transformers for the same shape, by batch; what keeps it from running is in its file."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "transformers_peer.py")
    line = [sys.executable, script, str(TOKENS), *map(str, BATCHES), "--prompt", str(PROMPT)]
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=300, cwd=product.out)
    except subprocess.TimeoutExpired:
        return {}
    with open(os.path.join(product.out, "transformers.txt"), "w") as f:
        f.write(done.stdout + done.stderr)
    rows = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
    return {r["batch"]: r["tokensPerSecond"] for r in rows}
