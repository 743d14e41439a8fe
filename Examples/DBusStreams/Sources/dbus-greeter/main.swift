import DBusStreams
import Glibc
import Headwater

// `dbus-greeter`: an object on the session's bus, which greets.
//
//   swift run dbus-greeter
//   gdbus introspect --session -d org.example.Greeter -o /org/example/Greeter
//   busctl --user call org.example.Greeter /org/example/Greeter org.example.Greeter Greet s you
//   busctl --user set-property org.example.Greeter /org/example/Greeter org.example.Greeter Greeting s Good\ morning
//   gdbus monitor --session -d org.example.Greeter         then call it in another terminal
//
// SIGTERM and Ctrl-C end it.

let bag = DisposeBag()
var code: Int32 = 0

do {
  let greeting = Property("Hello")
  let count = Property<UInt32>(0)
  let greeted = PublishSubject<String, Never>()

  func greet(_ name: String) throws(DBusError) -> String {
    if name.isEmpty { throw .remote(name: "org.example.Greeter.Error.NoName", message: "Say who you are.") }
    count.value += 1
    greeted.next(name)
    return "\(greeting.value), \(name)!"
  }

  let greeter = DBusInterface("org.example.Greeter")
    .method("Greet", in: ["name"], out: ["greeting"]) { (name: String) in try greet(name) }
    .method("GreetLater", in: ["name", "milliseconds"], out: ["greeting"]) { (name: String, delay: UInt32) in
      try await Task.sleep(for: .milliseconds(delay))
      return try greet(name)
    }
    .property("Greeting", greeting, set: { greeting.value = $0 })
    .property("Count", count)
    .signal("Greeted", arguments: ["name"], from: greeted.toStream())

  let connection = try DBusConnection(to: .session)
  try connection.export(greeter, at: "/org/example/Greeter").dispose(in: bag)
  connection.owning("org.example.Greeter").observe(
    next: { say("org.example.Greeter: \($0)") },
    termination: { end in
      if case .failed(let error) = end {
        print(error)
        code = 1
      }
      Loop.current.stop()
    }
  ).dispose(in: bag)

  for signal in [Signal.terminate, .interrupt] {
    Operation.signal(signal).observeNext { _ in connection.close() }.dispose(in: bag)
  }
  Loop.current.run()
  bag.dispose()
} catch {
  print(error)
  code = 1
}
exit(code)

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
