// qrencode.h --pkg-config libqrencode
// QRcode.data memory=out[width*width]
// QRinput_append/data memory=in[size]
import QREncode

let code = try Code.encodeString("Headwater", version: 0, level: .l, hint: .mode8, casesensitive: 1)
print(code.version, code.width, code.data.count)
// The lowest bit of a module says that it is dark.
for row in [0, 1] {
  print(String(code.data[Int(code.width) * row..<Int(code.width) * (row + 1)].map { $0 & 1 == 1 ? "#" : "." }))
}
let input = try Input()
try input.append(.num, data: Array("0123456789".utf8).span)
print(try input.codeEncodeInput().width)
do {
  _ = try Code.encodeString("", version: 0, level: .h, hint: .mode8, casesensitive: 1)
} catch { print("failed", error.function) }
