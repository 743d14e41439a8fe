// zstd.h --pkg-config libzstd
import Zstd

let text = Array(String(repeating: "again and ", count: 1000).utf8)
let packed = ZstdLibrary.compress(upTo: ZstdLibrary.compressBound(text.count), src: text.span, compressionLevel: 3)
print(packed.count < 100)
let unpacked = try DCtx.createDCtx().decompressDCtx(upTo: text.count, src: packed.span)
print(unpacked == text)
