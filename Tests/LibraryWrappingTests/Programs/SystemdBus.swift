// systemd/sd-bus.h --pkg-config libsystemd --thread caller --drive sd_bus
import Headwater
import SystemdBus

// A service with a method and a signal, and a client, on the bus whose address is in DBUS_SESSION_BUS_ADDRESS.
let (name, path) = ("org.example.Greeter", "/org/example/Greeter")
let service = try Bus.openUser()
let client = try Bus.openUser()
let bag = DisposeBag()
for bus in [service, client] {
  bus.driving().observeFailed { print($0) }.dispose(in: bag)
}
_ = try service.requestName(name, flags: 0)
try service.onObject(path) { message, _ in
  guard let message, let reply = try? message.newMethodReturn() else { return 0 }
  print("called:", message.member ?? "?")
  _ = try? service.send(reply)
  if let signal = try? service.messageNewSignal(path, interface: name, member: "Greeted") {
    _ = try? service.send(signal)
  }
  return 1
}.dispose(in: bag)
try client.onMatch("type='signal',member='Greeted'") { message, _ in
  print("signal:", message?.path ?? "?")
  bag.dispose()
  return 0
}.dispose(in: bag)
let call = try client.messageNewMethodCall(name, path: path, interface: name, member: "Greet")
_ = try client.send(call)
Loop.current.run()
do throws(SystemdBusFailure) {
  _ = try client.requestName("not a name", flags: 0)
} catch {
  print(error)
}
