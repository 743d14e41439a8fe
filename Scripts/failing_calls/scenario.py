"""Runs a program in which a call fails, and judges what happens."""
import collections
import pathlib
import re
import shutil
import signal
import tempfile

from .errors import ALLOCATION, ANY, KNOWN
from .program import Program

CRASHES = {signal.SIGABRT, signal.SIGSEGV, signal.SIGILL, signal.SIGTRAP, signal.SIGBUS, signal.SIGFPE}
FAULTS = ANY

# The verdict, what explains it, the number of descriptors at the end, the failed calls, and the lines of strace.
Result = collections.namedtuple("Result", "verdict explanation descriptors failed lines allocations")


class Scenario:
    """What is done to a program, and what it prints."""

    name = ""
    product = ""
    # The package whose product the program is.
    package = "Examples"
    # The programs of the system that it needs.
    needs = []
    # Patterns of the lines on standard error that the program also writes if nothing fails, and of the lines on standard output
    # that report an error.
    ordinary = reports = None
    # Faults of this program that this project cannot fix, in addition to KNOWN.
    known = []
    # Whether strace is attached after the start, when the program has stopped itself.
    attaches = False

    def prepare(self, directory):
        pass

    def arguments(self, directory):
        return []

    def input(self):
        """An open file that is the program's standard input."""
        return None

    def environment(self):
        """Variables of the environment that the program needs."""
        return {}

    def is_ready(self, program):
        return True

    def act(self, program, directory):
        pass

    def is_complete(self, program):
        return True

    def is_over(self, program):
        """Whether the program has done everything that it does by itself, rightly or not."""
        return True

    def is_wrong(self, program):
        """Whether the program has printed something that it never prints."""
        return False

    def learn(self, program):
        """Called after a run in which nothing fails."""

    def perform(self, program, directory):
        program.wait(lambda: self.is_ready(program), 3)
        program.settle()
        if program.process.poll() is None:
            self.act(program, directory)
            # A loss that is reported need not be waited for.
            program.wait(lambda: self.is_complete(program) or bool(program.complaint()))
            program.wait(lambda: self.is_complete(program), 0.3)

    def finish(self):
        pass


def run(scenario, injection=None, normal=None):
    """Runs a scenario."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="fail-calls-"))
    program = None
    try:
        scenario.prepare(directory)
        program = Program(
            scenario.arguments(directory), directory, injection, scenario.attaches, scenario.input(), scenario.environment())
        program.ordinary, program.reports = scenario.ordinary, scenario.reports
        scenario.perform(program, directory)
        if normal:
            program.wait(lambda: (program.descriptors() or 0) <= normal, 2)
        descriptors = program.descriptors()
        is_complete, is_over, had_ended = scenario.is_complete(program), scenario.is_over(program), program.process.poll() is not None
        has_stopped = had_ended or program.stop()
        if injection is None or injection[2] == 0:
            scenario.learn(program)
        status, complaint, text = program.process.returncode, program.complaint(), program.text()
        lines = program.calls()
        failed = injected(lines, scenario.attaches)
        count, place, end = program.allocations()
        if injection and injection[0] == ALLOCATION:
            failed = [" < ".join(line for line in place if "libuv" in line)]
        lost = f"status {status}, printed {text!r}"
        explanation = complaint.strip().splitlines()[-1] if complaint.strip() else text[-200:]

        # strace ends as the program has: with the same signal or status.
        number = -status if status < 0 else status - 128
        if number in CRASHES and end:
            # libuv may end a program when it has no memory. This project can only know the places.
            named = [line.split()[1] for line in end if line.startswith("libuv") and " " in line.strip()]
            verdict = f"known (libuv ends the program without memory in {named[0] if named else end[0]})"
        elif number in CRASHES and (assertion := re.search(r"\./src/\S+\.c:\d+: (\w+): Assertion", complaint)):
            verdict = f"known (libuv believes that this cannot fail: {assertion[1]})"
        elif number in CRASHES and "Fatal error: " not in complaint:
            # A trap says what is wrong.
            verdict, explanation = "crash", f"{signal.Signals(number).name}: {explanation}"
        elif not has_stopped or not is_over and not had_ended:
            verdict, explanation = "hang", f"{explanation}, printed {text!r}"
        elif scenario.is_wrong(program):
            verdict, explanation = "wrong", f"{explanation}, printed {text!r}"
        elif is_complete:
            verdict = "right with a message" if complaint else "right"
        elif complaint:
            verdict = "told"
        else:
            verdict, explanation = "silent", lost
        if verdict.startswith("right") and normal and descriptors and descriptors > normal:
            verdict, explanation = "descriptor", f"{descriptors} descriptors are open, and not {normal}"
        if verdict in FAULTS:
            reasons = [
                reason for call in failed for verdicts, pattern, reason in KNOWN + scenario.known if verdict in verdicts and re.match(pattern, call)]
            if reasons:
                verdict = f"known ({reasons[0]})"
        return Result(verdict, explanation, descriptors, failed, lines, (count, place))
    finally:
        if program:
            program.remove()
        scenario.finish()
        shutil.rmtree(directory, ignore_errors=True)


def injected(lines, has_begun):
    """The calls that have failed, one in each thread. A call that another thread interrupts has two lines."""
    begun, failed, others = {}, [], set()
    for line in lines:
        thread, call = line.split(maxsplit=1)
        if "<unfinished ...>" in call:
            begun[thread] = call
        if "(INJECTED)" in call:
            if call.startswith("<..."):
                call = begun.get(thread, "").replace(" <unfinished ...>", "") + call.split("resumed>", 1)[-1]
            failed.append(f"another program: {call}" if thread in others else call)
        elif "execve" in call and call.endswith("= 0"):
            # The first one is that of the program itself, if strace has started it.
            if has_begun:
                others.add(thread)
            has_begun = True
    return failed


def calls(scenario):
    """The numbers of each call to fail, from a run in which nothing fails, and the number of descriptors."""
    result = run(scenario)
    if not result.verdict.startswith("right"):
        raise RuntimeError(f"{scenario.name} fails without a fault: {result.verdict}: {result.explanation}")
    counts = collections.Counter()
    for line in result.lines:
        match = re.match(r"(\d+) +(\w+)\(", line)
        if match:
            counts[match[2], match[1]] += 1
    # Each thread counts its own calls.
    most = collections.Counter()
    for (call, _), count in counts.items():
        most[call] = max(most[call], count)
    return most, result.descriptors


def count_allocations(scenario):
    """The number of allocations of libuv in a run in which none fails."""
    result = run(scenario, (ALLOCATION, "ENOMEM", 0))
    if not result.verdict.startswith("right"):
        raise RuntimeError(f"{scenario.name} fails without a fault: {result.verdict}: {result.explanation}")
    return result.allocations[0]
