"""A provider of matrix products comes and goes while text is generated: the same text, and all memory given back."""

import os
import shutil

from correct import DEVICE
from decode import model
from product import Failure, Product, Shell

PROVIDER, JAR = "cublaslt", "vt-provider-cublaslt.jar"
ROUNDS = 50
PROMPT = "Once upon a time"


def swap(product, report):
    """Works on a copy of the distribution, from whose own bundles the provider is taken."""
    home = os.path.join(product.out, "home")
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(os.path.dirname(os.path.dirname(product.vt)), home, symlinks=True)
    jar = take(home)
    copy = Product(home, product.out)
    path = model(product)
    generate = "vt:generate --json --ignore-end --tokens 200 --model %s --device %s '%s'" % (path, DEVICE, PROMPT)
    with Shell(copy, ["-Dvt.deploy.poll=20"]) as shell:
        rounds(report, shell, generate, jar, os.path.join(home, "deploy", JAR))
        code = shell.close()
    report.add("swap", "end", "exit code", figure=code, ok=code == 0)


def take(home):
    for folder, _, files in os.walk(home):
        if JAR in files and "deploy" not in folder:
            return shutil.move(os.path.join(folder, JAR), os.path.join(home, "taken-" + JAR))
    raise Failure("this distribution has no " + JAR)


def rounds(report, shell, generate, jar, deployed):
    alone = tokens(shell.json_of(generate))
    before = memory(shell)
    put(jar, deployed)
    served(shell, True)
    helped = tokens(shell.json_of(generate))
    same = agreement(alone, helped)
    start(shell, generate)
    for n in range(ROUNDS):
        if n % 2 == 0:
            shell.run("vt:disable " + PROVIDER)
            served(shell, False)
            shell.run("vt:enable " + PROVIDER)
            served(shell, True)
        else:
            os.remove(deployed)
            served(shell, False)
            put(jar, deployed)
            served(shell, True)
    results = stop(shell)
    wrong = [r for r in results if tokens(r)[:same] != alone[:same]]
    mixed = sum(1 for r in results if r["served"].get(PROVIDER, 0) and r["served"].get("vt-native", 0))
    report.add(
        "swap", "text", "%d generations while %s changed %d times; %d of %d tokens are the same in both" % (
            len(results), PROVIDER, 2 * ROUNDS, same, len(alone)),
        figure=len(wrong), unit="differ", ok=not wrong and len(results) > 0)
    report.add("swap", "mixed", "generations that both providers served", figure=mixed, ok=mixed > 0)
    os.remove(deployed)
    served(shell, False)
    after = memory(shell)
    report.add(
        "swap", "memory", "device memory in use, %d bytes before" % before["bytes"], figure=after["bytes"] - before["bytes"],
        unit="bytes more", ok=after["bytes"] == before["bytes"] and after["blocks"] == before["blocks"])


def put(jar, deployed):
    """In one step, so that no half file is seen."""
    shutil.copyfile(jar, deployed + ".part")
    os.rename(deployed + ".part", deployed)


def served(shell, wanted):
    def right():
        why = shell.json("vt:why matmul_bt " + DEVICE)
        return (why["selected"] == PROVIDER) == wanted

    shell.wait(right, "%s to %s" % (PROVIDER, "be selected" if wanted else "go"))


def start(shell, generate):
    """One generation after the other in the background, until the list is emptied."""
    shell.run("going = (new java.util.ArrayList)")
    shell.run("results = (new java.util.ArrayList)")
    shell.run("$going add 1")
    shell.run("while { $going size } { $results add (%s) } &" % generate)


def stop(shell):
    shell.run_to_end_of_job("$going clear")
    count = int(shell.run("$results size").strip())
    return [shell.json_of("$results get %d" % i) for i in range(count)]


def memory(shell):
    for row in shell.json("vt:devices"):
        if row["device"] == DEVICE:
            return row["memory"]
    raise Failure(DEVICE + " is gone")


def tokens(result):
    return result["tokens"]


def agreement(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n
