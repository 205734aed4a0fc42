"""The product as its user has it: processes of bin/vt, one for each command or one with a prompt."""

import json
import os
import shlex
import signal
import subprocess
import threading
import time

PROMPT = "vt> "


class Ended:
    """What a process left when it ended; code is None where it was stopped for taking too long."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def complaint(self):
        """The last line of the error stream that is not the JDK's own warning."""
        lines = [line for line in self.err.splitlines() if line.strip() and not line.startswith("WARNING:")]
        return lines[-1].strip() if lines else ""


class Product:
    def __init__(self, dist, out):
        self.vt = os.path.join(dist, "bin", "vt")
        self.out = out
        self.runs = 0

    def environment(self, options=(), env=None):
        """VT_OPTS of the caller, with options of this step behind them."""
        all_env = dict(os.environ, **(env or {}))
        all_env["VT_OPTS"] = " ".join([os.environ.get("VT_OPTS", ""), *options]).strip()
        return all_env

    def start(self, line, options=(), env=None, before=()):
        return subprocess.Popen(
            [*before, self.vt, *line],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(options, env),
            cwd=self.out,
        )

    def run(self, commands, timeout=120, options=(), env=None, before=()):
        """
        Runs commands in a process of their own and keeps what it printed. One that takes too long says what its threads do, and is ended.
        """
        began = time.monotonic()
        process = self.start(["-c", commands], options, env, before)
        code = None
        try:
            out, err = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            time.sleep(1)
            process.kill()
            out, err = process.communicate()
        finally:
            if process.poll() is None:
                process.kill()
        ended = Ended(code, out, err, time.monotonic() - began)
        self.keep(commands, ended)
        return ended

    def keep(self, commands, ended):
        self.runs += 1
        with open(os.path.join(self.out, "%03d.txt" % self.runs), "w") as f:
            f.write("$ vt -c %s\n%s\n--- error stream, code %s, %.1f s\n%s" % (
                shlex.quote(commands), ended.out, ended.code, ended.seconds, ended.err))

    def json(self, command, **how):
        ended = self.run(command + " --json", **how)
        if ended.code is None:
            raise Failure("took longer than %.0f s; what its threads did is in %03d.txt" % (ended.seconds, self.runs))
        if ended.code != 0:
            raise Failure(ended.complaint() or "the command ended with %s" % ended.code)
        return json.loads(ended.out)


class Failure(Exception):
    """A step that could not be done, in the product's own words."""


class Shell:
    """A process with a prompt, driven through its standard input. One thread gives commands."""

    def __init__(self, product, options=()):
        self.process = product.start([], options)
        self.text = {"out": "", "err": ""}
        self.changed = threading.Condition()
        for name, stream in (("out", self.process.stdout), ("err", self.process.stderr)):
            threading.Thread(target=self._read, args=(name, stream), daemon=True).start()
        self.commands = 0
        # Commands of vt come with services, so they may come behind the prompt.
        self.wait(lambda: "DEVICE" in self.run("vt:devices"), "the commands")

    def _read(self, name, stream):
        for piece in iter(lambda: stream.read(1), ""):
            with self.changed:
                self.text[name] += piece
                if piece == "\n" or self.text[name].endswith(PROMPT):
                    self.changed.notify_all()
        with self.changed:
            self.changed.notify_all()

    def run(self, command, timeout=120):
        """Runs one command and gives what it printed."""
        self.commands += 1
        before, errors = len(self.text["out"]), len(self.text["err"])
        mark = "end-of command-%d\n" % self.commands
        # Two blanks are typed and one is printed: a line that the shell draws again is not taken for the answer.
        self.process.stdin.write("%s\necho end-of  command-%d\n" % (command, self.commands))
        self.process.stdin.flush()
        end = time.monotonic() + timeout
        with self.changed:
            while mark not in self.text["out"][before:]:
                if self.process.poll() is not None or not self.changed.wait(max(0.0, end - time.monotonic())):
                    raise Failure("%s: no answer; %s" % (command, self.text["err"][errors:].strip()[-400:]))
            text = self.text["out"][before:].split(mark)[0]
            self.error = self.text["err"][errors:]
        while text.startswith(PROMPT):
            text = text[len(PROMPT):]
        return text[:-len(PROMPT)] if text.endswith(PROMPT) else text

    def json(self, command, timeout=120):
        return self.json_of(command + " --json", timeout)

    def json_of(self, command, timeout=120):
        """For a command that answers in JSON by itself."""
        text = self.run(command, timeout)
        try:
            return json.loads(text)
        except ValueError:
            lines = [line for line in (text + self.error).splitlines() if line.strip()]
            raise Failure(lines[-1].strip() if lines else command + ": no answer") from None

    def run_to_end_of_job(self, command, timeout=300):
        """Lets the work in the background end; nothing is typed until the shell has told of it, in the midst of a line."""
        before, end = len(self.text["out"]), time.monotonic() + timeout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        with self.changed:
            while "]  done " not in self.text["out"][before:]:
                if not self.changed.wait(max(0.0, end - time.monotonic())):
                    raise Failure("the work in the background did not end within %d s" % timeout)
        self.run("echo")

    def wait(self, right, what, timeout=120):
        """Asks again and again until it is right."""
        end = time.monotonic() + timeout
        while not right():
            if time.monotonic() > end:
                raise Failure("waited in vain for " + what)
            time.sleep(0.02)

    def close(self, timeout=60):
        """Ends it as a person does who has done with it; gives the exit code."""
        self.process.stdin.close()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.close()
