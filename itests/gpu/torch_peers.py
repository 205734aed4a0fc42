"""
PyTorch's time for calls of vt's ops, on the same GPU: reads one JSON object a line, {"op", "dtype", "sizes"}, and writes one for each that
it knows, {"op", "sizes", "median", "host", "how"}, times in seconds; first {"copy": bytes a second, read and written together}.

A call is captured in a graph of many, whose replays are timed with events: medians, on data that is several times as large as the
cache where the call itself moves much. "host" is the time from a call's entry to its return, without a graph.
"""

import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F

GPU = torch.device("cuda:0")
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, None: torch.bfloat16}


def rand(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device=GPU, dtype=torch.float32).to(dtype)


def fused(f, *args):
    """What PyTorch's compiler makes of a function of several kernels, or the function where there is no compiler."""
    try:
        made = torch.compile(f)
        made(*args)
        return made, "torch compiled"
    except Exception as e:
        print("not compiled: %s" % (str(e).splitlines() or [type(e).__name__])[0], file=sys.stderr)
        return f, "torch eager"


def add(t, d, dtype):
    a, b, out = rand(t, d, dtype=dtype), rand(t, d, dtype=dtype), rand(t, d, dtype=dtype)
    return lambda: torch.add(a, b, out=out), "torch"


def rms_norm(t, h, dtype):
    x, w = rand(t, h, dtype=dtype), rand(h, dtype=dtype)
    return lambda: F.rms_norm(x, (h,), w, 1e-5), "torch"


def layer_norm(t, h, dtype):
    x, w, b = rand(t, h, dtype=dtype), rand(h, dtype=dtype), rand(h, dtype=dtype)
    return lambda: F.layer_norm(x, (h,), w, b, 1e-5), "torch"


def silu_and_mul(t, d, dtype):
    x = rand(t, 2 * d, dtype=dtype)
    f, how = fused(lambda v: F.silu(v[:, :d]) * v[:, d:], x)
    return lambda: f(x), how


def rope_neox(t, hq, hk, d, r, dtype):
    q, k = rand(t, hq, d, dtype=dtype), rand(t, hk, d, dtype=dtype)
    angles = torch.rand(t, 1, r // 2, device=GPU) * 6
    cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)

    def turn(x):
        half = torch.cat([-x[..., r // 2:r], x[..., :r // 2]], -1)
        return (x[..., :r] * cos + half * sin).to(x.dtype)

    f, how = fused(lambda a, b: (turn(a), turn(b)), q, k)
    return lambda: f(q, k), how + ", angles given"


def cast(to):
    def make(t, d, dtype):
        x, out = rand(t, d, dtype=dtype), torch.empty(t, d, device=GPU, dtype=to)
        return lambda: out.copy_(x), "torch"

    return make


def compute_probs(r, v, dtype):
    x = rand(r, v, dtype=dtype)
    return lambda: torch.softmax(x, -1), "torch"


def paged_attention(b, length, hq, hk, d, block, dtype):
    q, k, v = rand(b, hq, 1, d, dtype=dtype), rand(b, hk, length, d, dtype=dtype), rand(b, hk, length, d, dtype=dtype)
    return lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), "torch sdpa, cache in one piece"


def matmul_bt(m, k, n, dtype):
    x, w, out = rand(m, k, dtype=dtype), rand(n, k, dtype=dtype), torch.empty(m, n, device=GPU, dtype=dtype)
    return lambda: torch.mm(x, w.t(), out=out), "torch"


def fp8(m, k, n, dtype):
    x, w = (rand(rows, k).clamp(-4, 4).to(torch.float8_e4m3fn) for rows in (m, n))
    one = torch.ones((), device=GPU)
    return lambda: torch._scaled_mm(x, w.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16), "torch, bf16 out"


MAKERS = {
    "add": add,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "silu_and_mul": silu_and_mul,
    "rope_neox": rope_neox,
    "cast_bf16": cast(torch.bfloat16),
    "cast_f32": cast(torch.float32),
    "compute_probs": compute_probs,
    "paged_attention": paged_attention,
    "matmul_bt": matmul_bt,
    "matmul_fp8_cublaslt": fp8,
    "matmul_fp8_cutlass": fp8,
}


#: As long as vt:bench warms up and measures here: a large product is slower once the GPU has reached its limit of power.
WARM_UP, MEASURED = 0.1, 0.3


def timed(work, seconds=0.0, rounds=5):
    """Median of the GPU's time of a piece of work, in seconds; over some time, and so many times at least."""
    took, until = [], time.monotonic() + seconds
    while len(took) < rounds or time.monotonic() < until:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        took.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(took)


def graph_of(call, calls):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return graph


def median(call):
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    once = timed(call)
    calls = max(1, min(100, int(2e-3 / once)))
    graph = graph_of(call, calls)
    timed(graph.replay, WARM_UP)
    return timed(graph.replay, MEASURED) / calls


def returns(call, seconds, rounds=9):
    """Median of the time until a call returns, with what is queued never more than the queue takes."""
    calls, took = max(5, min(200, int(20e-3 / seconds))), []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        took.append((time.perf_counter() - begin) / calls)
    return statistics.median(took)


def copy():
    size = 512 << 20
    a, b = torch.ones(size, dtype=torch.uint8, device=GPU), torch.empty(size, dtype=torch.uint8, device=GPU)
    b.copy_(a)
    return 2 * size / timed(lambda: b.copy_(a), MEASURED)


def main():
    torch.manual_seed(1)
    print(json.dumps({"copy": copy()}), flush=True)
    for line in sys.stdin:
        wanted = json.loads(line)
        if wanted["op"] not in MAKERS:
            continue
        try:
            sizes = [int(s) for s in wanted["sizes"].split("x")]
            call, how = MAKERS[wanted["op"]](*sizes, dtype=TYPES.get(wanted["dtype"], torch.bfloat16))
            took = median(call)
            row = {"op": wanted["op"], "sizes": wanted["sizes"], "median": took, "host": returns(call, took), "how": how}
            print(json.dumps(row), flush=True)
        except Exception as e:
            print("%s %s: %s" % (wanted["op"], wanted["sizes"], e), file=sys.stderr, flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    with torch.inference_mode():
        main()
