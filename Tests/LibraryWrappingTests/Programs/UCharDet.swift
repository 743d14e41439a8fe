// uchardet/uchardet.h --pkg-config uchardet --thread caller
import UCharDet

let detector = try Uchardet()
for bytes: [UInt8] in [
  Array("Größe, Übermut und Ärger".utf8), [0xFF, 0xFE, 0x48, 0, 0x69, 0],
] {
  detector.reset()
  try detector.handleData(Array(bytes[..<5]).span)
  try detector.handleData(Array(bytes[5...]).span)
  detector.dataEnd()
  print(detector.charset ?? "?")
}
