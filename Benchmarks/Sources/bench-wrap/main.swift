import Foundation

// bench-wrap WRAP-LIBRARY ROOT [callbacks|whole] [--update]: compares the results of wrap-library for real headers with the
// committed tables, measures whole libraries, and compiles one of them. `--update` writes the table of whole libraries.

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  print("usage: bench-wrap WRAP-LIBRARY ROOT [callbacks|whole] [--update]")
  exit(64)
}
let tool = arguments[1]
let root = arguments[2]

if !arguments.contains("whole") { try compareCallbacks() }
if !arguments.contains("callbacks") { try measureWholeLibraries(update: arguments.contains("--update")) }
if !missed.isEmpty {
  print("missed: \(missed.joined(separator: ", "))")
  exit(1)
}
