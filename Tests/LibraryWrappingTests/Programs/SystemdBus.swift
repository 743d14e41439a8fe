// systemd/sd-bus.h --pkg-config libsystemd --thread caller
import SystemdBus

// A service with a method and a signal, and a client, on the bus whose address is in DBUS_SESSION_BUS_ADDRESS.
let (name, path) = ("org.example.Greeter", "/org/example/Greeter")
let service = try Bus.openUser()
let client = try Bus.openUser()
_ = try service.requestName(name, flags: 0)
let object = try service.onObject(path) { message, _ in
  guard let message, let reply = try? message.newMethodReturn() else { return 0 }
  print("called:", message.member ?? "?")
  _ = try? service.send(reply)
  if let signal = try? service.messageNewSignal(path, interface: name, member: "Greeted") {
    _ = try? service.send(signal)
  }
  return 1
}
var greeted = 0
let match = try client.onMatch("type='signal',member='Greeted'") { message, _ in
  greeted += 1
  print("signal:", message?.path ?? "?")
  return 0
}
let call = try client.messageNewMethodCall(name, path: path, interface: name, member: "Greet")
_ = try client.send(call)
_ = try client.flush()
while greeted == 0 {
  if try service.process().result == 0, try client.process().result == 0 { _ = try service.wait(10_000) }
}
match.dispose()
object.dispose()
do throws(SystemdBusFailure) {
  _ = try client.requestName("not a name", flags: 0)
} catch {
  print(error)
}
