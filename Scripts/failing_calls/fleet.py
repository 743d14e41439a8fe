"""What is done to fleet: its node, and its collector."""
import re
import subprocess

from .program import programs
from .scenario import Scenario
from .servers import LATE, Broker

CHANGES = ["created milk", "created eggs", "modified milk", "removed eggs"]


class Fleet(Scenario):
    """A node whose changes a collector stores. Calls of one of them fail."""

    product, package = "fleet", "Examples/fleet"
    needs = ["mosquitto"]
    known = [LATE]
    ordinary = r"fleet: (connected to|alpha: watching)"

    def prepare(self, directory):
        (directory / "tree").mkdir()
        self.messages = directory / "messages"
        self.other_output = directory / "other"
        self.other = subprocess.Popen(
            self.command(self.other_role, directory), cwd=directory, stdin=subprocess.DEVNULL,
            stdout=open(self.other_output, "wb"), stderr=open(self.messages, "wb"))

    def command(self, role, directory):
        # The topic is that of one run, because all of them share a broker.
        options = ["--port", str(Broker.shared().port), "--topic", directory.name]
        if role == "node":
            return [str(programs / "fleet"), "node", "alpha", "tree", "--database", "alpha.db", *options]
        return [str(programs / "fleet"), "collector", "--database", "all.db", *options]

    def arguments(self, directory):
        return self.command(self.role, directory)

    def is_ready(self, program):
        return "connected to" in program.errors.read_text() and "connected to" in self.messages.read_text()

    def act(self, program, directory):
        tree = directory / "tree"
        (tree / "milk").write_text("1")
        program.wait(lambda: self.has(program, CHANGES[0]), 1)
        (tree / "eggs").write_text("1")
        program.wait(lambda: self.has(program, CHANGES[1]), 1)
        with open(tree / "milk", "a") as file:
            file.write("2")
        program.wait(lambda: self.has(program, CHANGES[2]), 1)
        (tree / "eggs").unlink()

    def stored(self, program):
        """The changes that the collector has printed."""
        return (self.other_output.read_text() if self.role == "node" else program.text()).splitlines()

    def has(self, program, change):
        return any(line.endswith(change) for line in self.stored(program))

    def is_complete(self, program):
        return all(self.has(program, change) for change in CHANGES)

    def is_wrong(self, program):
        """Whether a change was stored twice or in another order."""
        numbers = [re.match(r"(\d+) alpha (\d+) ", line) for line in self.stored(program)]
        if None in numbers:
            return True
        # A line that could not be printed is missing, which its number shows.
        return any(list(map(int, row)) != sorted(set(map(int, row))) for row in zip(*(number.groups() for number in numbers)))

    def finish(self):
        self.other.terminate()
        self.other.wait()


class FleetNode(Fleet):
    """fleet sends the changes of a directory."""

    name, role, other_role = "fleet-node", "node", "collector"


class FleetCollector(Fleet):
    """fleet stores the changes of a node."""

    name, role, other_role = "fleet-collector", "collector", "node"


FLEET = [FleetNode, FleetCollector]
