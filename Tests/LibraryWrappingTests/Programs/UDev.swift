// libudev.h --pkg-config libudev
import UDev

let udev = try Udev()
let enumerate = try udev.enumerateNew()
try enumerate.addMatchSubsystem("mem")
try enumerate.scanDevices()
var names: [String] = []
var entry = enumerate.listEntry
while let current = entry {
  if let path = current.name, let device = try? udev.deviceNewFromSyspath(path) {
    names.append(device.sysname ?? "?")
  }
  entry = current.next()
}
print(names.contains("null"), names.contains("zero"))
