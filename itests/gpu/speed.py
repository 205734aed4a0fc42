"""Is it fast? Kernels beside the copy bandwidth of the same run, and beside PyTorch on the same GPU."""

import json
import os
import subprocess
import sys

from correct import DEVICE, QUICKLY
from product import Failure

#: What a kernel that only moves bytes is to reach of the bandwidth of a copy, unless PyTorch does no better either.
OF_COPY = 0.85

#: What a product is to reach of the rate of PyTorch, which is the vendor's library.
OF_PEER = 0.85

SECONDS = 0.4

#: A command that takes longer hangs.
LONGEST = 120

MEMORY = [
    ("add", "bf16", ["4096x8192", "32x8192"]),
    ("rms_norm", "bf16", ["4096x8192", "32x8192"]),
    ("layer_norm", "bf16", ["4096x8192"]),
    ("silu_and_mul", "bf16", ["4096x14336", "32x14336"]),
    ("rope_neox", "bf16", ["4096x32x8x128x128", "32x32x8x128x128"]),
    ("cast_bf16", "f32", ["4096x8192"]),
    ("cast_f32", "bf16", ["4096x8192"]),
    ("compute_probs", "f32", ["256x128256", "8x128256"]),
]

#: Requests, tokens that each has seen, heads, heads of the cache, their size, tokens of a block of the cache.
ATTENTION = ["1x4096x32x8x128x16", "8x4096x32x8x128x16", "32x4096x32x8x128x16", "64x4096x32x8x128x16", "256x4096x32x8x64x16"]

PRODUCTS = [
    ("matmul_bt", "bf16", ["8192x8192x8192"]),
    ("matmul_bt", "bf16", ["%dx8192x8192" % m for m in (1, 2, 4, 8, 16)]),
    ("matmul_fp8_cublaslt", None, ["8192x8192x8192"]),
    ("matmul_fp8_cutlass", None, ["8192x8192x8192"]),
]

HOST = [
    ("add", "bf16", ["1x64"]),
    ("rms_norm", "bf16", ["1x2048"]),
    ("silu_and_mul", "bf16", ["1x2048"]),
    ("matmul_bt", "bf16", ["1x256x256"]),
    ("paged_attention", "bf16", ["1x16x4x2x64x16"]),
]


class Peers:
    """PyTorch's figures for the same calls, asked for once a section; empty where PyTorch can't be had."""

    def __init__(self, product, section, calls):
        self.rows, self.copy, self.why = {}, None, None
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_peers.py")
        wanted = "".join(json.dumps({"op": op, "dtype": dtype, "sizes": s}) + "\n" for op, dtype, all_s in calls for s in all_s)
        try:
            done = subprocess.run(
                [sys.executable, script], input=wanted, capture_output=True, text=True, timeout=240, cwd=product.out)
        except subprocess.TimeoutExpired:
            self.why = "PyTorch took longer than 240 s"
            return
        with open(os.path.join(product.out, "torch-%s.txt" % section), "w") as f:
            f.write(done.stdout + done.stderr)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            if "copy" in row:
                self.copy = row["copy"]
            elif "median" in row:
                self.rows[(row["op"], row["sizes"])] = row
        if not self.rows:
            lines = (done.stderr or "no answer").strip().splitlines()
            self.why = lines[-1] if lines else "no answer"

    def of(self, op, sizes):
        return self.rows.get((op, sizes), {})


def bench(product, op, dtype, sizes, more="", seconds=SECONDS):
    """One process for one op, all its sizes; gives the machine and the results."""
    line = "vt:bench %s %s --device %s --seconds %s%s %s" % (
        op, " ".join(sizes), DEVICE, seconds, " --dtype " + dtype if dtype else "", more)
    try:
        told = product.json(line + " --graph", options=QUICKLY, timeout=LONGEST)
    except Failure as e:
        # An op that a graph can't hold, or a vt that does not know the flag.
        if "graph" not in str(e):
            raise
        told = product.json(line, options=QUICKLY, timeout=LONGEST)
    return told["machine"], told["results"]


def on_device(r):
    """The time of a call in a graph, which is the kernel's own; or that of a call behind others, where it has none."""
    return r.get("graph") or r["median"]


def bandwidth(machine):
    return machine["roofs"]["copyBytesPerSecond"]


def memory(product, report):
    moved(product, report, "memory", MEMORY)


def attention(product, report):
    moved(product, report, "attention", [("paged_attention", "bf16", [s]) for s in ATTENTION])


def moved(product, report, section, calls):
    """Kernels whose time is that of the bytes they move."""
    peers = Peers(product, section, calls)
    heads(report, section, peers)
    for op, dtype, sizes in calls:
        try:
            machine, results = bench(product, op, dtype, sizes)
        except Failure as e:
            report.add(section, op, "%s %s: %s" % (" ".join(sizes), dtype, e), ok=False)
            continue
        for r in results:
            peer = peers.of(op, r["shapes"])
            # Small calls are as long as a launch; only what moves many bytes is held against the bandwidth.
            large = r["floor"] > 20e-6
            enough = on_device(r) <= r["floor"] / OF_COPY or on_device(r) <= peer.get("median", 0)
            report.add(
                section,
                op,
                "%s %s, %s; %.1f us without a graph; copy %.0f GB/s" % (
                    r["shapes"], r["dtype"], r["provider"], us(r["median"]), bandwidth(machine) / 1e9),
                figure=us(on_device(r)),
                unit="us",
                floor=us(r["floor"]),
                peer=us(peer.get("median")),
                peer_name=peer.get("how", ""),
                ok=enough if large else None,
            )


def us(seconds):
    return None if seconds is None else seconds * 1e6


def heads(report, section, peers):
    if peers.why:
        report.add(section, "PyTorch", peers.why, figure="not there")
    elif peers.copy:
        report.add(section, "copy", "512 MiB, PyTorch", figure=peers.copy / 1e9, unit="GB/s")


def products(product, report):
    peers = Peers(product, "products", PRODUCTS)
    heads(report, "products", peers)
    library = "cublaslt" in {r["name"] for r in product.json("vt:providers --all")}
    for op, dtype, sizes in PRODUCTS:
        try:
            machine, results = bench(product, op, dtype, sizes, "--ab cublaslt" if library else "")
        except Failure as e:
            report.add("products", op, "%s: %s" % (" ".join(sizes), e), figure="not there")
            continue
        for r in results:
            one(report, op, r, peers.of(op, r["shapes"]), bandwidth(machine))


def one(report, op, r, peer, copy):
    """A rate where arithmetic is the limit, a time where the weights' bytes are."""
    m, k, n = (int(d) for d in r["shapes"].split("x"))
    conditions = "%s %s, %s" % (r["shapes"], r["dtype"], r["provider"])
    told = peer.get("how", "")
    if m > 64:
        rate = 2.0 * m * k * n / 1e12
        theirs = rate / peer["median"] if peer else None
        report.add(
            "products", op, conditions, figure=rate / on_device(r), unit="TFLOP/s", peer=theirs, peer_name=told,
            ok=rate / on_device(r) >= OF_PEER * theirs if theirs else None)
    else:
        enough = on_device(r) <= r["floor"] / OF_COPY or on_device(r) <= peer.get("median", 0)
        report.add(
            "products", op, conditions + "; copy %.0f GB/s" % (copy / 1e9), figure=us(on_device(r)), unit="us",
            floor=us(r["floor"]), peer=us(peer.get("median")), peer_name=told, ok=enough)


def host(product, report):
    """What a call costs its caller, and a node of a graph that is replayed."""
    peers = Peers(product, "host", HOST)
    heads(report, "host", peers)
    for op, dtype, sizes in HOST:
        try:
            _, results = bench(product, op, dtype, sizes)
        except Failure as e:
            report.add("host", op, "%s: %s" % (" ".join(sizes), e), figure="not there")
            continue
        for r in results:
            peer = peers.of(op, r["shapes"])
            report.add(
                "host", op, "%s %s, %s; entry to return" % (r["shapes"], r["dtype"], r["provider"]), figure=us(r["host"]),
                unit="us", peer=us(peer.get("host")), peer_name=peer.get("how", ""),
                ok=r["host"] <= peer["host"] if peer else None)
            if r.get("graph"):
                report.add("host", op, "%s %s; a node of a graph" % (r["shapes"], r["dtype"]), figure=us(r["graph"]), unit="us",
                           peer=us(peer.get("median")), peer_name=peer.get("how", ""))
