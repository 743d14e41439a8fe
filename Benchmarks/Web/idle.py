# idle.py PORT PID: prints the bytes of the process PID for each idle TLS connection to PORT, of 2,000 after the first 200.
import resource, socket, ssl, sys, time

port, process = int(sys.argv[1]), int(sys.argv[2])
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
context = ssl._create_unverified_context()
connections = []


def resident():
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def settled():
    # Until the server has done what the last handshake leaves to do.
    last, now = -1, resident()
    while last != now:
        time.sleep(0.3)
        last, now = now, resident()
    return now


def connect(count):
    for _ in range(count):
        connections.append(context.wrap_socket(socket.create_connection(("127.0.0.1", port))))


connect(200)
before = settled()
connect(2000)
print((settled() - before) // 2000)
