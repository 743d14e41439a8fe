import FuzzDriver

// The file of choices, and the declarations that clang prints: any text is read, or refused with a message that begins with the
// name of the file.

fuzz { bytes in
  let text = String(decoding: bytes, as: UTF8.self)
  do {
    _ = try Choices(text, path: "a.choices")
  } catch {
    precondition("\(error)".hasPrefix("a.choices:"), "\(error)")
  }
  _ = DeclaratorParser.parse(text)
}
