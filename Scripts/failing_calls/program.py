"""A program in which calls fail."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .errors import ALLOCATION

root = pathlib.Path(__file__).resolve().parent.parent.parent
programs = root / ".build" / "debug"
allocations = root / ".build" / "fail-allocations.so"
LIMIT = 6.0


def build_allocations():
    """Compiles the library that lets an allocation of libuv fail."""
    compiler = shutil.which("clang") or shutil.which("cc")
    if not compiler:
        sys.exit("fail-calls: a C compiler is missing. Install it: apt install gcc")
    source = pathlib.Path(__file__).with_name("allocations.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", allocations, source, "-ldl"], check=True)


class Program:
    """A program in which a call fails, and what it has printed.

    strace starts the program, or is attached to it once it has stopped itself, so that no earlier call is counted. If an
    allocation fails, there is no strace.
    """

    def __init__(self, arguments, directory, injection=None, attaches=False, stdin=None, variables=None):
        self.folder = tempfile.mkdtemp(prefix="fail-calls-output-")
        self.log, self.record, self.output, self.errors = (
            pathlib.Path(self.folder) / name for name in ("log", "record", "output", "errors"))
        self.executable, self.directory, self.pid, self.tracer = arguments[0], directory, None, None
        # Lines on standard error that are no complaints, and lines on standard output that are some.
        self.ordinary = self.reports = None
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **(variables or {})}
        call, error, number = injection or (None, None, None)
        strace = ["strace", "-f", "-qq", "-y", "-o", str(self.log)]
        if call == ALLOCATION:
            strace = []
            environment |= {
                "LD_PRELOAD": str(allocations), "FAIL_ALLOCATION": str(number), "FAIL_ALLOCATION_RECORD": str(self.record)}
        elif call:
            # What a process does after execve is not what the program does.
            traced = call if call == "execve" else f"{call},execve"
            strace += ["-e", f"trace={traced}", "-e", f"inject={call}:error={error}:when={number}"]
            if not attaches:
                strace.append("--seccomp-bpf")
        else:
            strace += ["-e", "trace=all"]
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                (strace if not attaches else []) + arguments, cwd=directory, stdin=stdin or subprocess.DEVNULL, stdout=output,
                stderr=errors, env=environment, start_new_session=True)
        if attaches or not strace:
            self.pid = self.process.pid
        if attaches and not self.begin(strace):
            self.stop()
            sys.exit("fail-calls: strace cannot trace the program. Run this as root, or set kernel.yama.ptrace_scope to 0.")

    def begin(self, strace):
        """Attaches strace when the program has stopped, and lets the program go on. Returns whether that has worked."""
        def status(key):
            try:
                text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
                return next(line.split()[1] for line in text.splitlines() if line.startswith(key))
            except (OSError, StopIteration):
                return "X"

        self.wait(lambda: status("State:") in "TtXZ")
        if strace and status("State:") in "Tt":
            self.tracer = subprocess.Popen(
                [*strace, "-p", str(self.pid)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if not self.wait(lambda: status("TracerPid:") not in "0X"):
                return False
        self.signal(signal.SIGCONT)
        return True

    def find(self):
        """The process that strace runs. strace also begins processes of its own, to try what the kernel can do."""
        if self.pid is None:
            try:
                for child in pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
                    if os.path.samefile(f"/proc/{child}/exe", self.executable):
                        self.pid = int(child)
            except OSError:
                pass
        return self.pid

    def wait(self, condition, limit=LIMIT):
        """Waits until the condition holds, the program ends, or the time is over."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if condition():
                return True
            if self.process.poll() is not None:
                return condition()
            time.sleep(0.005)
        return False

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.find()}/fd"))
        except OSError:
            return None

    def watches(self):
        """The number of directories that the program watches."""
        count = 0
        try:
            for info in pathlib.Path(f"/proc/{self.find()}/fdinfo").iterdir():
                count += info.read_text().count("inotify wd:")
        except OSError:
            pass
        return count

    def settle(self):
        """Waits until the program sleeps and has used no processor time for a while."""
        last, since = None, time.monotonic()

        def is_settled():
            nonlocal last, since
            try:
                fields = pathlib.Path(f"/proc/{self.find()}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                return False
            now = (fields[0], fields[11], fields[12], self.watches())
            if now != last or fields[0] != "S":
                last, since = now, time.monotonic()
            return time.monotonic() - since > 0.2

        self.wait(is_settled, 3)

    def text(self):
        return self.output.read_text(errors="replace")

    def complaint(self):
        """The messages of the program, without those that it also writes if nothing fails."""
        lines = self.errors.read_text(errors="replace").splitlines(keepends=True)
        reports = [line for line in self.text().splitlines(keepends=True) if re.match(self.reports, line)] if self.reports else []
        return "".join([line for line in lines if not self.ordinary or not re.match(self.ordinary, line)] + reports)

    def calls(self):
        """The lines of strace: a thread, and a call with its result."""
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def allocations(self):
        """The number of allocations of libuv, where one has failed, and where libuv has ended the program because of it."""
        data = self.record.read_bytes() if self.record.exists() else bytes(4096)
        texts = [part.split(b"\0")[0].decode(errors="replace").splitlines() for part in (data[4:2048], data[2048:])]
        return int.from_bytes(data[:4], sys.byteorder), *texts

    def signal(self, number):
        try:
            os.kill(self.find() or self.process.pid, number)
        except OSError:
            pass

    def stop(self):
        """Asks the program to end. Returns whether it does."""
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(LIMIT)
            if self.tracer:
                self.tracer.wait(LIMIT)
            return True
        except subprocess.TimeoutExpired:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except OSError:
                pass
            self.signal(signal.SIGKILL)
            self.process.wait()
            if self.tracer:
                self.tracer.wait()
            return False

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
