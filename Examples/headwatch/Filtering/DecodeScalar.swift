/// Returns the UTF-8 character at `index` and its length. A byte that begins no valid character is returned alone, with
/// a value above all characters.
nonisolated func decodeScalar(_ bytes: ArraySlice<UInt8>, at index: Int) -> (value: UInt32, width: Int) {
  let first = bytes[index]
  if first < 0x80 { return (UInt32(first), 1) }
  let invalid = (value: 0x11_0000 + UInt32(first), width: 1)
  let (count, smallest): (Int, UInt32) =
    switch first {
    case 0xC2...0xDF: (2, 0x80)
    case 0xE0...0xEF: (3, 0x800)
    case 0xF0...0xF4: (4, 0x1_0000)
    default: (1, 0)
    }
  guard count > 1, index + count <= bytes.endIndex else { return invalid }
  var value = UInt32(first) & (0xFF >> UInt32(count + 1))
  for offset in 1..<count {
    let next = bytes[index + offset]
    guard next & 0xC0 == 0x80 else { return invalid }
    value = value << 6 | UInt32(next & 0x3F)
  }
  guard value >= smallest, Unicode.Scalar(value) != nil else { return invalid }
  return (value, count)
}
