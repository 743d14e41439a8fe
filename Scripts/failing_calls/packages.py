"""What is done to the programs of the packages that wrap a C library."""
import ssl
import subprocess

from .examples import Server
from .program import programs
from .scenario import Scenario


class TLSEcho(Server):
    """tls-echo sends back what it receives, over TLS."""

    name = product = "tls-echo"
    package = "Examples/TLSStreams"

    def prepare(self, directory):
        super().prepare(directory)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
             "/CN=localhost", "-keyout", directory / "key.pem", "-out", directory / "cert.pem"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def arguments(self, directory):
        return super().arguments(directory) + ["cert.pem", "key.pem"]

    def connect(self, program):
        client = super().connect(program)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            return client and context.wrap_socket(client)
        except OSError:
            client.close()
            return None


class Web(Server):
    """https-server sends a text, and a file."""

    name = product = "https-server"
    package = "Examples/WebStreams"

    def prepare(self, directory):
        super().prepare(directory)
        (directory / "site").mkdir()
        (directory / "site/page").write_text("a page\n" * 10_000 + "the end")

    def arguments(self, directory):
        return super().arguments(directory) + ["--files", "site"]

    def serves(self, client, attempt):
        path, expected = [(b"/", b"hello"), (b"/files/page", b"the end")][attempt % 2]
        answer = b""
        try:
            client.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while part := client.recv(65_536):
                answer += part
        except OSError:
            return False
        # A status from 400 on tells the client that the file cannot be read.
        return expected in answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5"))


class DBusGreeter(Scenario):
    """dbus-greeter answers calls from a message bus."""

    name = product = "dbus-greeter"
    needs = ["dbus-daemon", "dbus-send"]
    package = "Examples/DBusStreams"

    def prepare(self, directory):
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = self.bus.stdout.readline().decode().strip()
        self.served = 0

    def environment(self):
        return {"DBUS_SESSION_BUS_ADDRESS": self.address}

    def arguments(self, directory):
        return [str(programs / self.product)]

    def is_ready(self, program):
        return "org.example.Greeter: " in program.text()

    def act(self, program, directory):
        for _ in range(4):
            call = ["dbus-send", f"--bus={self.address}", "--print-reply", "--reply-timeout=1000", "--dest=org.example.Greeter",
                    "/org/example/Greeter", "org.example.Greeter.Greet", "string:you"]
            answer = subprocess.run(call, capture_output=True)
            self.served += b"Hello, you!" in answer.stdout

    def is_complete(self, program):
        # A call may be lost by a fault that concerns it alone, but the next one must be answered.
        return self.served >= 3

    def finish(self):
        self.bus.terminate()
        self.bus.stdout.close()
        self.bus.wait()


PACKAGES = [TLSEcho, Web, DBusGreeter]
