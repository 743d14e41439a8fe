// magic.h --link magic
import Magic

let magic = try Magic.open(MagicConstant.mimeType)
try magic.load(nil)
print(magic.buffer(Array("%PDF-1.7\n".utf8).span) ?? "?")
print(magic.buffer(Array("#!/bin/sh\necho\n".utf8).span) ?? "?")
print(magic.file("/nothing/here") ?? magic.error ?? "?")
