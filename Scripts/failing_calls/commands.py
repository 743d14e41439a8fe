"""What is done to the commands of the packages that wrap a C library."""
import http.server
import os
import socket
import threading

from .examples import Prints, Server
from .program import programs
from .scenario import Scenario
from .servers import LATE, Broker, Postgres, Redis


class Resolve(Prints):
    """resolve asks a name server for two names."""

    name = product = "resolve"
    package = "Examples/CaresStreams"

    def prepare(self, directory):
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", 0))
        self.server.settimeout(0.2)
        self.is_finished = False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.is_finished:
            try:
                query, client = self.server.recvfrom(512)
            except OSError:
                continue
            # The question ends after its name, its kind, and its class.
            end = query.index(0, 12) + 5
            is_address = query[end - 3] == 1
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x0a\1\2\3" if is_address else b""
            header = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_address else b"\0\0") + b"\0\0\0\0"
            try:
                self.server.sendto(header + query[12:end] + answer, client)
            except OSError:
                pass

    def arguments(self, directory):
        return [*super().arguments(directory), "--server", f"127.0.0.1:{self.server.getsockname()[1]}", "one.test", "two.test"]

    def is_complete(self, program):
        return sorted(program.text().splitlines()) == ["one.test: 10.1.2.3", "two.test: 10.1.2.3"]

    def is_wrong(self, program):
        return any(not line.endswith(": 10.1.2.3") for line in program.text().splitlines())

    def finish(self):
        self.is_finished = True
        self.thread.join()
        self.server.close()


class Curl(Prints):
    """curl-many fetches two pages."""

    name = product = "curl-many"
    package = "Examples/CurlStreams"

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 1000)

        def log_message(self, *arguments):
            pass

    class Quiet(http.server.ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            pass

    def prepare(self, directory):
        self.server = self.Quiet(("127.0.0.1", 0), self.Pages)
        self.thread = threading.Thread(target=lambda: self.server.serve_forever(0.05), daemon=True)
        self.thread.start()
        self.pages = [f"http://127.0.0.1:{self.server.server_address[1]}/{name}" for name in ("one", "two")]

    def arguments(self, directory):
        return [*super().arguments(directory), *self.pages]

    def is_complete(self, program):
        return sorted(program.text().splitlines()) == [f"{page}: 200, 1000 bytes" for page in self.pages]

    def is_wrong(self, program):
        return any(not line.endswith(": 200, 1000 bytes") for line in program.text().splitlines())

    def finish(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class XML(Prints):
    """xml-outline prints the outline of a document that it reads in pieces."""

    name = product = "xml-outline"
    package = "Examples/ExpatStreams"

    def arguments(self, directory):
        (directory / "document.xml").write_text("<list>" + "".join(f"<item n='{n}'>text</item>" for n in range(400)) + "</list>")
        return [*super().arguments(directory), "document.xml"]


class Tables(Prints):
    """table-changes prints the changes of a database in a file."""

    name = product = "table-changes"
    package = "Examples/SQLiteStreams"
    # The program shows one statement that fails.
    reports = r"  failed: (?!constraint failed \(531\))"

    def arguments(self, directory):
        return [*super().arguments(directory), "stock.db"]


class Reminders(Prints):
    """reminders reads commands from a pipe."""

    name = product = "reminders"
    package = "Examples/ReadlineStreams"
    known = [*Prints.known, (("silent",), r"write\(\d+<[^>]*/output>", "readline loses what it cannot write")]

    def input(self):
        self.commands, writer = os.pipe()
        os.write(writer, b"in 0 tea\nwhat\nin 3600 sleep\nlist\nquit\n")
        os.close(writer)
        return self.commands

    def is_complete(self, program):
        return all(text in program.text() for text in ("*** tea", "in SECONDS TEXT, list, or quit", "2. sleep"))

    def is_wrong(self, program):
        return False

    def finish(self):
        os.close(self.commands)


class Hello(Server):
    """hello-http greets clients."""

    name = product = "hello-http"
    package = "Examples/MicrohttpdStreams"

    def arguments(self, directory):
        return [str(programs / self.product), str(self.port)]

    def is_ready(self, program):
        return "listening on" in program.text()

    def serves(self, client, attempt):
        return self.answers(client, b"GET /you HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"Hello, you!")


class Listener(Scenario):
    """A program that prints the messages of a server, and connects again if it has lost it."""

    def act(self, program, directory):
        self.place = directory
        for _ in range(20):
            self.send()
            if program.wait(lambda: self.is_complete(program), 0.2) or program.process.poll() is not None:
                return

    def is_complete(self, program):
        return "news: one\n" in program.text()

    def is_wrong(self, program):
        return any(line != "news: one" for line in program.text().splitlines())


class RedisListen(Listener):
    """redis-listen prints what is published."""

    name = product = "redis-listen"
    needs = ["redis-server", "redis-cli"]
    package = "Examples/HiredisStreams"

    def arguments(self, directory):
        return [str(programs / self.product), Redis.shared().socket, "news"]

    def send(self):
        Redis.shared().publish("news", "one")


class PostgresListen(Listener):
    """pg-listen prints notifications."""

    name = product = "pg-listen"
    needs = ["psql"]
    package = "Examples/PostgresStreams"
    # PostgreSQL's pqSendSome keeps the error, because the server may have sent the reason.
    known = [(("silent",), r"sendto\(", "libpq reports that it could not send only when the server has closed the connection")]

    def arguments(self, directory):
        return [str(programs / self.product), Postgres.shared().parameters, "news"]

    def send(self):
        Postgres.shared().notify("news", "one")


class MQTTWatch(Listener):
    """mqtt-lines prints messages."""

    name, product = "mqtt-watch", "mqtt-lines"
    needs = ["mosquitto", "mosquitto_pub"]
    known = [LATE]
    package = "Examples/MQTTStreams"

    def arguments(self, directory):
        # The topic is that of one run, because all of them share a broker.
        self.topic = directory.name
        return [str(programs / self.product), "watch", "127.0.0.1", str(Broker.shared().port), self.topic]

    def send(self):
        Broker.shared().publish(self.topic, "one")

    def is_complete(self, program):
        return f"{self.topic}: one\n" in program.text()

    def is_wrong(self, program):
        return any(line != f"{self.topic}: one" for line in program.text().splitlines())


class MQTTPublish(Prints):
    """mqtt-lines publishes lines."""

    name, product = "mqtt-publish", "mqtt-lines"
    needs = ["mosquitto", "mosquitto_sub"]
    package = "Examples/MQTTStreams"
    known = [
        *Prints.known,
        (("hang",), r"(epoll_ctl\(.* EPOLL_CTL_ADD, |ioctl\()\d+<anon_inode:\[eventfd\]",
         "the loop reports that it cannot serve the main actor, and waits for it"),
        LATE,
    ]

    def arguments(self, directory):
        self.topic = directory.name
        (directory / "lines").write_text("one\ntwo\nthree\n")
        self.lines = open(directory / "lines", "rb")
        self.received = Broker.shared().subscribe(self.topic, 3)
        return [*super().arguments(directory), "publish", "127.0.0.1", str(Broker.shared().port), self.topic]

    def input(self):
        return self.lines

    def perform(self, program, directory):
        super().perform(program, directory)
        self.received.wait(0.5 if program.complaint() else 3)

    def is_complete(self, program):
        return self.received.lines() == ["one", "two", "three"] and program.process.poll() is not None

    def is_wrong(self, program):
        return self.received.lines() != ["one", "two", "three"][:len(self.received.lines())]

    def learn(self, program):
        pass

    def finish(self):
        self.received.stop()
        self.lines.close()


COMMANDS = [
    Resolve, Curl, XML, Tables, Reminders, Hello, RedisListen, PostgresListen, MQTTWatch, MQTTPublish,
]
