// zlib.h --pkg-config zlib
// z_stream.next_in memory=in[avail_in:room-avail_in]
// z_stream.next_out memory=out[avail_out:room-avail_out]
import ZLib

/// Packs or unpacks with one of the two functions, in parts of 1,000 bytes, with room for 300.
func run(_ bytes: [UInt8], _ stream: ZStreamp, _ step: (Int32) throws -> Int32) rethrows -> [UInt8] {
  var rest = bytes[...]
  var result: [UInt8] = []
  while true {
    stream.nextIn += rest.prefix(1_000)
    rest = rest.dropFirst(1_000)
    stream.availOut = 300
    let status = try step(rest.isEmpty ? ZLibConstant.zFinish : ZLibConstant.zNoFlush)
    result += stream.nextOut
    if status == ZLibConstant.zStreamEnd { return result }
    precondition(status == 0 || status == ZLibConstant.zBufError, stream.msg ?? "failed")
  }
}

let text = Array((0..<2_000).map { "line \($0 % 7)\n" }.joined().utf8)
let version = ZLibLibrary.zlibVersion() ?? ""
let size = Int32(MemoryLayout.size(ofValue: ZStreamp().pointer.pointee))
let packer = ZStreamp()
try packer.deflateInit(9, version: version, streamSize: size)
let packed = run(text, packer) { packer.deflate($0) }
print(text.count, packed.count < 200, packer.totalOut == packed.count, packer.nextIn.isEmpty)
try packer.deflateEnd()
let unpacker = ZStreamp()
try unpacker.inflateInit(version, streamSize: size)
print(run(packed, unpacker) { unpacker.inflate($0) } == text, ZLibLibrary.crc32(0, buf: text.span))
try unpacker.inflateEnd()
let broken = ZStreamp()
try broken.inflateInit(version, streamSize: size)
broken.nextIn = [1, 2, 3]
broken.availOut = 10
print(broken.inflate(ZLibConstant.zNoFlush), broken.msg ?? "")
try broken.inflateEnd()
do { try broken.inflateEnd() } catch { print(error) }
