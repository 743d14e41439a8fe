import EventLoops
import Properties
import Streams
import WebStreams

/// What the server answers. Each loop uses it.
nonisolated struct Site: Sendable {
  let files: HTTPFiles?

  init(files: String?) { self.files = files.map { HTTPFiles(in: $0) } }

  func respond(to request: HTTPRequest) -> Stream<HTTPResponse> {
    switch (request.method, request.path) {
    case ("GET", "/"), ("HEAD", "/"): .just(.text("hello\n"))
    case ("POST", "/echo"): .just(HTTPResponse(body: request.body))
    case ("GET", "/events"):
      .just(
        .events(
          Stream<Int>.interval(.seconds(1), on: Loop.current.scheduler).map { $0 + 1 }.start(with: 0).map { "\($0)" }))
    case ("GET", "/socket"):
      .just(.webSocket(for: request) { socket in socket.messages.pipe(to: socket).toStream(logError: false) })
    case ("GET", "/count"): .just(.webSocket(for: request) { socket in Self.count(in: socket) })
    case ("GET", "/live"): .just(.text(Self.page, type: "text/html; charset=utf-8"))
    default:
      if let files, request.path.hasPrefix("/files/") {
        files.respond(to: request, below: "/files/")
      } else {
        .just(.text("There is nothing at \(request.path).\n", 404))
      }
    }
  }

  /// Sends a property at each change: once a second, and when the page sends a message.
  private static func count(in socket: WebSocket) -> Stream<Never> {
    let count = Property(0)
    let bag = DisposeBag()
    Stream<Int>.interval(.seconds(1), on: Loop.current.scheduler).observeNext { _ in count.value += 1 }.dispose(in: bag)
    socket.messages.toStream(logError: false).observeNext { _ in count.value += 10 }.dispose(in: bag)
    return count.map { .text("\($0)") }.pipe(to: socket).toStream(logError: false).doOn(disposed: { bag.dispose() })
  }

  private static let page = """
    <!doctype html>
    <title>https-server</title>
    <style>body { font: 1.2em sans-serif; margin: 3em }</style>
    <h1>https-server</h1>
    <p>Seconds, over server-sent events: <b id="count">none</b></p>
    <p>Echo, over a WebSocket: <b id="echo">none</b></p>
    <p>A property of the server, over a WebSocket: <b id="property">none</b> <button id="add">Add 10</button></p>
    <script>
      new EventSource("/events").onmessage = event => { count.textContent = event.data };
      const open = path => new WebSocket(location.origin.replace("http", "ws") + path);
      const socket = open("/socket");
      socket.onopen = () => socket.send("it echoes");
      socket.onmessage = event => { echo.textContent = event.data };
      const changes = open("/count");
      changes.onmessage = event => { property.textContent = event.data };
      add.onclick = () => changes.send("add");
    </script>

    """
}
