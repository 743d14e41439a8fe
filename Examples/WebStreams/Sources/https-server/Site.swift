import EventLoops
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
    case ("GET", "/live"): .just(.text(Self.page, type: "text/html; charset=utf-8"))
    default:
      if let files, request.path.hasPrefix("/files/") {
        files.respond(to: request, below: "/files/")
      } else {
        .just(.text("There is nothing at \(request.path).\n", 404))
      }
    }
  }

  private static let page = """
    <!doctype html>
    <title>https-server</title>
    <style>body { font: 1.2em sans-serif; margin: 3em }</style>
    <h1>https-server</h1>
    <p>Seconds, over server-sent events: <b id="count">none</b></p>
    <p>Echo, over a WebSocket: <b id="echo">none</b></p>
    <script>
      new EventSource("/events").onmessage = event => { count.textContent = event.data };
      const socket = new WebSocket(location.href.replace("http", "ws").replace("live", "socket"));
      socket.onopen = () => socket.send("it echoes");
      socket.onmessage = event => { echo.textContent = event.data };
    </script>

    """
}
