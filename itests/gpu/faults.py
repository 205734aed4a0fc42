"""What a user sees when something is missing, full or killed: one sentence, and a product that goes on or starts again."""

import os
import shutil
import signal
import subprocess
import sys
import time

from correct import DEVICE, QUICKLY
from product import Failure

HOLD = """
import sys, torch
free, _ = torch.cuda.mem_get_info()
held = torch.empty(free - (1 << 30), dtype=torch.uint8, device="cuda")
torch.cuda.synchronize()
print("held", flush=True)
sys.stdin.read()
"""


def faults(product, report):
    for case in (no_driver, no_compiler, no_visible_device, broken_cache, full, killed, terminated):
        name = case.__name__.replace("_", " ")
        try:
            said, right = case(product)
        except Failure as e:
            said, right = str(e), False
        report.add("faults", name, said, figure="", ok=right)


def device(product, **how):
    for row in product.json("vt:devices", **how):
        if row["device"] == DEVICE:
            return row
    return {"state": "not listed", "reason": ""}


def no_driver(product):
    row = device(product, options=["-Dvt.cuda.library=/nowhere/libcuda.so.1"])
    return told(row), row["state"] == "absent" and "/nowhere/libcuda.so.1" in row["reason"]


def no_compiler(product):
    """The device is there; its kernels are those that the bundle brings as PTX, or the reason names what is missing."""
    options = [*QUICKLY, "-Dvt.nvrtc.library=/nowhere/libnvrtc.so"]
    why = product.json("vt:why add " + DEVICE, options=options)
    if why["selected"]:
        verified(product, options)
        return "served without NVRTC, from the PTX in the bundle", True
    reasons = "; ".join(link["reason"] for link in why["chain"])
    return "vt:why add: " + reasons, "vt.nvrtc.library" in reasons


def no_visible_device(product):
    row = device(product, env={"CUDA_VISIBLE_DEVICES": "GPU-00000000-0000-0000-0000-000000000000"})
    return told(row), row["state"] == "absent" and row["reason"] != ""


def told(row):
    return "%s is %s: %s" % (DEVICE, row["state"], row["reason"])


def broken_cache(product):
    """Compiled kernels that were cut short on disk are made anew."""
    cache = os.path.join(product.out, "cut")
    options = [*QUICKLY, "-Dvt.cuda.cache=" + cache]
    shutil.rmtree(cache, ignore_errors=True)
    verified(product, options)
    files = [os.path.join(folder, f) for folder, _, names in os.walk(cache) for f in names]
    for f in files:
        os.truncate(f, os.path.getsize(f) // 2)
    verified(product, options)
    return "%d files of compiled kernels cut in half: served all the same" % len(files), len(files) > 0


def verified(product, options):
    ended = product.run("vt:verify vt-native add --device %s --json" % DEVICE, options=options)
    if ended.code != 0:
        raise Failure(ended.complaint() or "vt:verify ended with %s" % ended.code)


def full(product):
    """Another process has taken the device's memory but for 1 GiB."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if holder.stdout.readline().strip() != "held":
            raise Failure("PyTorch could not fill the device: " + (holder.stderr.read().strip().splitlines() or ["no answer"])[-1])
        ended = product.run(
            "vt:bench paged_attention 64x4096x32x8x128x16 --device %s --dtype bf16 --seconds 0.1" % DEVICE, options=QUICKLY, timeout=200)
    finally:
        holder.stdin.close()
        holder.wait()
    again = product.run("vt:bench add 16x64 --device %s --seconds 0.05" % DEVICE, options=QUICKLY)
    return ended.complaint(), ended.code == 1 and "no room" in ended.complaint() and again.code == 0


def killed(product):
    return ended_by(product, signal.SIGKILL, -signal.SIGKILL)


def terminated(product):
    return ended_by(product, signal.SIGTERM, 143)


def ended_by(product, sign, code):
    """Ended in the midst of cases that are captured and replayed; the next process finds the device as it was."""
    process = product.start(["-c", "vt:verify vt-native --device %s --full" % DEVICE], QUICKLY)
    # Late enough to be at work, and long before its end: the moment matters little, so no answer is waited for.
    time.sleep(4)
    running = process.poll() is None
    process.send_signal(sign)
    try:
        _, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failure("did not end within 30 s of signal %d" % sign) from None
    verified(product, QUICKLY)
    row = device(product)
    crashes = [f for f in os.listdir(product.out) if f.startswith(("hs_err", "core"))]
    said = "signal %d while it %s: exit code %d, next process served; %s" % (
        sign, "worked" if running else "had ended", process.returncode, ", ".join(crashes) or "no crash file")
    return said, running and process.returncode in (code, 128 + sign) and row["state"] == "present" and not crashes
