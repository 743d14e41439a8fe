"""What is done to the servers and the other programs of Examples."""
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

from .program import programs
from .scenario import Scenario


class Server(Scenario):
    """A program that serves connections, and a client that needs an answer."""

    def prepare(self, directory):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def arguments(self, directory):
        return [str(programs / self.product), f"127.0.0.1:{self.port}"]

    def is_ready(self, program):
        # A connection would be a call more.
        listening = f"0100007F:{self.port:04X} 00000000:0000 0A"
        return listening in pathlib.Path("/proc/net/tcp").read_text()

    def connect(self, program):
        """A connection, or nil if the program has ended."""
        try:
            client = socket.create_connection(("127.0.0.1", self.port), 2)
            client.settimeout(2)
            return client
        except OSError:
            return None

    def answers(self, client, text, expected):
        """Whether the program sends a text after it has received one."""
        received = b""
        try:
            if text:
                client.sendall(text)
            while expected not in received:
                part = client.recv(4096)
                if not part:
                    return False
                received += part
        except OSError:
            return False
        return True

    def act(self, program, directory):
        self.served = 0
        # A connection may be lost by a fault that concerns it alone, but the next one must be served.
        for attempt in range(4):
            client = self.connect(program)
            if client:
                self.served += self.serves(client, attempt)
                client.close()

    def serves(self, client, attempt):
        return self.answers(client, b"hello\n", b"hello\n")

    def is_complete(self, program):
        return getattr(self, "served", 0) >= 3


class Echo(Server):
    """echo-server sends back what it receives."""

    name = product = "echo-server"


class EchoLoops(Echo):
    """echo-server serves on two loops."""

    name = "echo-server-loops"

    def arguments(self, directory):
        return super().arguments(directory) + ["--loops", "2"]


class Chat(Server):
    """chat passes on what a client writes."""

    name = product = "chat"

    def serves(self, client, attempt):
        return self.answers(client, b"name%d\n/who\n" % attempt, b"name%d" % attempt)


class Forward(Server):
    """port-forward copies in both directions."""

    name = product = "port-forward"

    def prepare(self, directory):
        super().prepare(directory)
        self.target = socket.create_server(("127.0.0.1", 0))
        self.target.settimeout(0.2)
        self.is_finished = False

        def serve():
            while not self.is_finished:
                try:
                    connection, _ = self.target.accept()
                except TimeoutError:
                    continue
                with connection:
                    connection.settimeout(2)
                    try:
                        while data := connection.recv(4096):
                            connection.sendall(data)
                    except OSError:
                        pass

        self.thread = threading.Thread(target=serve, daemon=True)
        self.thread.start()

    def finish(self):
        self.is_finished = True
        self.thread.join()
        self.target.close()

    def arguments(self, directory):
        return super().arguments(directory) + [f"127.0.0.1:{self.target.getsockname()[1]}"]


class Supervise(Scenario):
    """supervise restarts a command that ends."""

    name = product = "supervise"

    def arguments(self, directory):
        return [str(programs / "supervise"), "--restart", "always", "--delay", "0.01", "w: echo once >>log; sleep 0.05"]

    def act(self, program, directory):
        self.log = directory / "log"
        program.wait(lambda: self.is_complete(program), 4)

    def is_complete(self, program):
        return hasattr(self, "log") and self.log.exists() and len(self.log.read_text().split()) >= 3


class Greeter(Server):
    """greeter greets, also with other words after its configuration file has changed."""

    name = product = "greeter"

    def prepare(self, directory):
        super().prepare(directory)
        (directory / "greeter.conf").write_text(f"greeting good morning\nport {self.port}\n")

    def arguments(self, directory):
        return [str(programs / "greeter"), "greeter.conf"]

    def act(self, program, directory):
        super().act(program, directory)
        (directory / "next.conf").write_text(f"greeting good night\nport {self.port}\n")
        (directory / "next.conf").rename(directory / "greeter.conf")
        self.is_changed = program.wait(lambda: "configuration read" in program.text(), 2) and any(
            self.greets(b"good night, you\n") for _ in range(2))

    def greets(self, expected):
        client = self.connect(None)
        if not client:
            return False
        with client:
            return self.answers(client, b"you\n", expected)

    def serves(self, client, attempt):
        return self.answers(client, b"you\n", b"good morning, you\n")

    def is_complete(self, program):
        return super().is_complete(program) and getattr(self, "is_changed", False)


class TimeServer(Server):
    """time-server answers datagrams."""

    name = product = "time-server"

    def is_ready(self, program):
        return f"0100007F:{self.port:04X}" in pathlib.Path("/proc/net/udp").read_text()

    def connect(self, program):
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.settimeout(1)
        client.connect(("127.0.0.1", self.port))
        return client

    def serves(self, client, attempt):
        try:
            client.send(b"")
            return len(client.recv(100)) == 4
        except OSError:
            return False


class TimeQuery(Scenario):
    """time-server asks a server by its name."""

    name, product = "time-query", "time-server"

    def prepare(self, directory):
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", 0))
        self.server.settimeout(0.2)
        self.is_finished = False

        def serve():
            while not self.is_finished:
                try:
                    _, client = self.server.recvfrom(100)
                    self.server.sendto((int(time.time()) + 2_208_988_800).to_bytes(4, "big"), client)
                except OSError:
                    pass

        self.thread = threading.Thread(target=serve, daemon=True)
        self.thread.start()

    def arguments(self, directory):
        return [str(programs / "time-server"), "--query", f"localhost:{self.server.getsockname()[1]}", "--timeout", "0.2"]

    def perform(self, program, directory):
        program.wait(lambda: program.process.poll() is not None)

    def is_over(self, program):
        return program.process.poll() is not None

    def is_complete(self, program):
        return "the clock here" in program.text() or "as here" in program.text()

    def finish(self):
        self.is_finished = True
        self.thread.join()
        self.server.close()


class Counter(Scenario):
    """counter counts by the commands that it reads."""

    name = product = "counter"

    def arguments(self, directory):
        (directory / "commands").write_text("+\n+\n-\nundo\n+\nquit\n")
        self.commands = open(directory / "commands", "rb")
        return [str(programs / "counter")]

    def input(self):
        return self.commands

    def perform(self, program, directory):
        program.wait(lambda: program.process.poll() is not None)

    def is_over(self, program):
        return program.process.poll() is not None

    def is_complete(self, program):
        return program.text().split("count: ")[1:] == ["0\n", "1\n", "2\n", "1\n", "2\n", "3\n"]

    def finish(self):
        self.commands.close()


class Prints(Scenario):
    """A program that prints lines and ends."""

    # What the program prints if nothing fails.
    expected = None
    known = [(("silent", "wrong"), r"write\(1<", "`print` loses a line that cannot be written")]

    def arguments(self, directory):
        return [str(programs / self.product)]

    def perform(self, program, directory):
        program.wait(lambda: program.process.poll() is not None)

    def is_over(self, program):
        return program.process.poll() is not None

    def is_complete(self, program):
        return program.text() == self.expected if self.expected else bool(program.text()) and not program.complaint()

    def is_wrong(self, program):
        return bool(self.expected) and not program.complaint() and any(
            line not in self.expected.splitlines() for line in program.text().splitlines())

    def learn(self, program):
        if self.expected is None:
            type(self).expected = program.text()


class ViewModel(Prints):
    """ViewModel fills in a form."""

    name = product = "ViewModel"


class DelegateForwarding(Prints):
    """DelegateForwarding reads a ledger with a delegate."""

    name = product = "DelegateForwarding"


class StreamTop(Scenario):
    """stream-top shows the events that a program sends."""

    name = product = "stream-top"
    known = [(("silent", "wrong"), r"write\(1<", "`print` loses a line that cannot be written")]

    def arguments(self, directory):
        return [str(programs / self.product), "socket"]

    def is_ready(self, program):
        return (program.directory / "socket").exists()

    def act(self, program, directory):
        # A recording that is lost is sent again.
        for _ in range(3):
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(directory / "socket"))
                    for line in EVENTS:
                        client.sendall(line.encode() + b"\n")
            except OSError:
                pass
            if program.wait(lambda: self.is_complete(program), 1):
                return

    def is_complete(self, program):
        return "app: 1 subscription is open" in program.text() and "Inlet<Int> #3" in program.text()


EVENTS = [
    '{"ph":"M","name":"process_name","pid":1,"tid":7,"ts":0,"args":{"name":"app"}}',
    '{"ph":"b","id":"1","cat":"subscription","name":"App/Main.swift:3","pid":1,"tid":7,"ts":1.5,"args":{"home":1}}',
    '{"ph":"B","cat":"element","name":"App/Main.swift:3","pid":1,"tid":7,"ts":10,"args":{"s":1,"v":"x"}}',
    '{"ph":"E","pid":1,"tid":7,"ts":12}',
    '{"ph":"C","cat":"waiting","name":"Inlet<Int> #3","pid":1,"tid":7,"ts":31,"args":{"waiting":12}}',
]


class Processes(Scenario):
    """processes shows a process that is started, and that it has ended."""

    name = product = "processes"

    def arguments(self, directory):
        # The name of the process that is started is that of its copy.
        self.executable = directory / f"fail{os.getpid() % 10_000}{threading.get_ident() % 10_000}"
        shutil.copy("/bin/sleep", self.executable)
        # The script waits until the program sleeps for a while.
        return [str(programs / "processes"), "--interval", "0.3", self.executable.name]

    def is_ready(self, program):
        return "PID" in program.text()

    def act(self, program, directory):
        child = subprocess.Popen([self.executable, "60"])
        program.wait(lambda: any(line.startswith("+") for line in program.text().splitlines()), 3)
        child.kill()
        child.wait()
        program.wait(lambda: self.is_complete(program), 3)

    def is_complete(self, program):
        signs = [line[0] for line in program.text().splitlines()[1:] if line[0] != "~"]
        return signs == ["+", "-"]

    def is_wrong(self, program):
        return len(program.text().splitlines()) > 1 and not self.is_complete(program) and "-" in program.text()


EXAMPLES = [
    Echo, EchoLoops, Chat, Greeter, Forward, TimeServer, TimeQuery, Supervise, Counter, Processes, ViewModel,
    DelegateForwarding, StreamTop,
]
