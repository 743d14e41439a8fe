"""Programs that each use one part of EventLoops: those of loop-probe."""
import collections

from .program import programs
from .scenario import Scenario


class Area(Scenario):
    """loop-probe does everything that one part of EventLoops can do, prints what it receives, and ends."""

    product, package, attaches = "loop-probe", "", True
    # What the program prints if nothing fails.
    expected = None

    def arguments(self, directory):
        return [str(programs / "loop-probe"), "area", self.name, str(directory), "stop"]

    def perform(self, program, directory):
        program.wait(lambda: self.is_over(program))

    def lines(self, program):
        return collections.Counter(program.text().splitlines())

    def is_over(self, program):
        return "done" in program.text().splitlines()

    def is_complete(self, program):
        lines = self.lines(program)
        return lines == self.expected if self.expected else "done" in lines and not program.complaint()

    def is_wrong(self, program):
        return bool(self.expected) and any(line not in self.expected for line in self.lines(program))

    def learn(self, program):
        if self.expected is None:
            type(self).expected = self.lines(program)


NAMES = {
    "timers": "timers, idle handles, and wake-ups",
    "signals": "signals, and a graceful shutdown",
    "queues": "queues, the thread pool, crossings, and inlets",
    "tasks": "tasks of the main actor that await streams",
    "tcp": "TCP: listening, connecting by address and by name, large writes, and resets",
    "serving": "a TCP server on two loops",
    "udp": "UDP, also with batches",
    "pipes": "local sockets, pipes, and handles that are passed through them",
    "names": "names and addresses of hosts",
    "files": "files: reading, writing, copying, sending, and their attributes",
    "directories": "directories, and links",
    "watches": "libuv's watches of files and descriptors, and the driver of a library",
    "children": "child processes, their input and output, and groups",
    "terminals": "terminals",
    "input": "standard input: a pipe, and a socket",
    "system": "the properties of the machine and the process",
}

AREAS = [type(name.title(), (Area,), {"name": name, "__doc__": text}) for name, text in NAMES.items()]
