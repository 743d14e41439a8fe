import Foundation

/// Measures the compilation of a library that `folder` contains, in a package with default settings: at most 3 s of processor time
/// for 200 functions and callbacks, and nothing if another module changes.
func compile(_ library: WholeLibrary, in folder: URL) throws {
  let module = library.program
  let packages = library.arguments.firstIndex(of: "--pkg-config").map { [library.arguments[$0 + 1]] } ?? []
  let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "whole", platforms: [.macOS(.v26)],
      dependencies: [.package(name: "headwater", path: "\(root)")],
      targets: [
        .systemLibrary(name: "C\(module)"\(packages.map { ", pkgConfig: \"\($0)\"" }.joined())),
        .target(name: "\(module)", dependencies: ["C\(module)", .product(name: "Callbacks", package: "headwater")]),
        .executableTarget(name: "program", dependencies: ["\(module)"]),
      ], swiftLanguageModes: [.v6])
    """
  try manifest.write(to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
  let program = folder.appendingPathComponent("Sources/program")
  try FileManager.default.createDirectory(at: program, withIntermediateDirectories: true)
  let main = program.appendingPathComponent("main.swift")
  let source = try WholeLibrary.source(of: module)
  try source.write(to: main, atomically: true, encoding: .utf8)

  // The modules of Headwater stay built from one run to the next.
  let scratch = root + "/Benchmarks/.build-wrap"
  let products = URL(fileURLWithPath: scratch + "/debug")
  func build(_ target: String) throws -> Double? {
    let command = ["swift", "build", "--disable-index-store", "--scratch-path", scratch, "--target", target]
    let result = try run(command, in: folder)
    if result.status == 0 { return result.seconds }
    print(String(decoding: result.output, as: UTF8.self))
    return nil
  }
  func dates() -> [String: Date] {
    let folder = products.appendingPathComponent(module + ".build")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    var dates: [String: Date] = [:]
    for case let file as URL in files ?? .init() where file.pathExtension == "o" {
      dates[file.path] = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }
    return dates
  }

  print("compiling \(library.name)…")
  guard try build(module) != nil, let nothing = try build(module) else { return missed.append("compiling") }
  // The best of eight, because other processes, and the speed of the processor, slow a compilation down.
  var first = Double.infinity
  for _ in 1...8 {
    // The folder also contains files that SwiftPM writes when it plans the build.
    let compiled = products.appendingPathComponent(module + ".build")
    for file in try FileManager.default.contentsOfDirectory(at: compiled, includingPropertiesForKeys: nil) {
      if !["json", ""].contains(file.pathExtension) { try FileManager.default.removeItem(at: file) }
    }
    try FileManager.default.removeItem(at: products.appendingPathComponent("Modules/\(module).swiftmodule"))
    guard let seconds = try build(module) else { return missed.append("compiling") }
    first = min(first, seconds)
  }
  guard try build("program") != nil else { return missed.append("compiling") }
  let before = dates()
  try (source + "\nprint()\n").write(to: main, atomically: true, encoding: .utf8)
  guard try build("program") != nil else { return missed.append("compiling") }
  let again = dates().count { before[$0.key] != $0.value }

  let seconds = first - nothing
  let bound = 3.0 * Double(library.written + library.callbacks) / 200
  print(
    "first compilation of \(library.name): \(library.written) functions, \(library.callbacks) callbacks, \(before.count) files,",
    String(format: "%.2f s of processor time, at most %.2f s", seconds, bound))
  print("compiled again after a change of the program: \(again) of \(before.count) files, at most 0")
  if before.isEmpty || seconds > bound { missed.append("3 s for the compilation of 200 functions and callbacks") }
  if again > 0 { missed.append("an incremental build") }
}
