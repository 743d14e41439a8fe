"""Servers that all runs of a scenario share."""
import atexit
import glob
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# PostgreSQL refuses to run as root.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []


# libmosquitto warns of this in its log: "outgoing publish commands may be delayed".
LATE = (("silent", "hang"), r"(fcntl\(\d+<socket:.*, F_[GS]ETFL|socketpair\(|write\(\d+<socket:[^,]*, \"\\0\", 1\))",
        "libmosquitto cannot wake its thread, and sends when a ping is due")


class Shared:
    """A server that is started at its first use, and stopped when the script ends."""

    lock = threading.Lock()
    instances = {}

    @classmethod
    def shared(cls):
        with Shared.lock:
            if cls not in Shared.instances:
                server = cls()
                atexit.register(server.stop)
                Shared.instances[cls] = server
            return Shared.instances[cls]

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="fail-calls-server-"))
        os.chmod(self.directory, 0o777)
        self.process = self.start()
        end = time.monotonic() + 10
        while not self.answers():
            if time.monotonic() > end:
                raise RuntimeError(f"{type(self).__name__} does not answer")
            time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Redis(Shared):
    @property
    def socket(self):
        return str(self.directory / "socket")

    def start(self):
        return subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.directory, "--save", "", "--appendonly",
             "no"], **SILENT)

    def answers(self):
        return subprocess.run(["redis-cli", "-s", self.socket, "ping"], **SILENT).returncode == 0

    def publish(self, channel, text):
        subprocess.run(["redis-cli", "-s", self.socket, "publish", channel, text], **SILENT)


class Postgres(Shared):
    @property
    def parameters(self):
        return f"host={self.directory} user=tester dbname=postgres"

    def start(self):
        folder = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        subprocess.run(
            [*NOBODY, folder / "initdb", "-D", self.directory / "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C",
             "--no-sync"], check=True, cwd=self.directory, **SILENT)
        return subprocess.Popen(
            [*NOBODY, folder / "postgres", "-D", self.directory / "data", "-k", self.directory, "-c", "listen_addresses=", "-c",
             "fsync=off"], cwd=self.directory, **SILENT)

    def answers(self):
        return self.run("SELECT 1") == 0

    def run(self, statement):
        return subprocess.run(["psql", self.parameters, "-c", statement], **SILENT).returncode

    def notify(self, channel, text):
        self.run(f"NOTIFY {channel}, '{text}'")


class Broker(Shared):
    """An MQTT broker."""

    def start(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        configuration = self.directory / "mosquitto.conf"
        configuration.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n")
        return subprocess.Popen(["mosquitto", "-c", configuration], **SILENT)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def publish(self, topic, text):
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-q", "1", "-t", topic, "-m", text], **SILENT)

    def subscribe(self, topic, count):
        return Subscription(self.port, topic, count)


class Subscription:
    """The first messages of a topic."""

    def __init__(self, port, topic, count):
        self.output = tempfile.NamedTemporaryFile(prefix="fail-calls-messages-")
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", "mosquitto_sub", "-p", str(port), "-q", "1", "-t", topic, "-C", str(count), "-d"], stdout=self.output,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + 5
        while "SUBACK" not in self.text() and time.monotonic() < end:
            time.sleep(0.01)

    def text(self):
        return pathlib.Path(self.output.name).read_text(errors="replace")

    def lines(self):
        return [line for line in self.text().splitlines() if not line.startswith(("Client ", "Subscribed "))]

    def wait(self, limit):
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            pass

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.output.close()
