// archive.h archive_entry.h --pkg-config libarchive
import LibArchive

// Writes an archive of two files into memory that only this program sees, and reads it back.
let path = CommandLine.arguments[1] + "/two.tar.gz"
let writer = try Archive.writeNew()
try writer.writeAddFilterGzip()
try writer.writeSetFormatPaxRestricted()
try writer.writeOpenFilename(path)
for (name, text) in [("hello.txt", "Hello"), ("numbers/one.txt", "1\n")] {
  let entry = try Entry()
  entry.setPathname(name)
  entry.setSize(Int64(text.utf8.count))
  entry.setFiletype(0o100000)
  entry.setPerm(0o644)
  try writer.writeHeader(entry)
  let bytes = Array(text.utf8)
  print("wrote", try writer.writeData(bytes.span), "bytes of", entry.pathname ?? "?")
}
try writer.free()

let reader = try Archive.readNew()
try reader.readSupportFilterAll()
try reader.readSupportFormatAll()
try reader.readOpenFilename(path, blockSize: 10240)
while true {
  let entry = try Entry()
  if try reader.readNextHeader2(entry) != LibArchiveConstant.ok { break }
  print(entry.pathname ?? "?", entry.size, String(decoding: try reader.readData(upTo: 100), as: UTF8.self))
}
do {
  try Archive.readNew().readOpenFilename(path + ".missing", blockSize: 10240)
} catch {
  print("failed:", error.message?.contains("Failed to open") == true)
}
