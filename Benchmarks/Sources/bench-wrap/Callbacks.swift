import Foundation

struct Site: Decodable {
  struct Context: Decodable {
    var index: Int
    var registeredBy: String
  }
  struct Ending: Decodable {
    var function: String
    var withNull: Bool
  }
  var header, kind, key, role, certainty: String
  var context: Context?
  var life: String?
  var unregister: [Ending]
}

/// Compares the callbacks of real headers with the committed tables, and compiles what is written for them.
func compareCallbacks() throws {
  var found: [String: [Site]] = [:]
  var (counted, uncounted) = (0, 0)
  var slowest = (name: "", seconds: 0.0)
  let libraries = try table("libraries.tsv")
  print("library        sites  fields  seconds")
  for library in libraries {
    let words = library[2].split(separator: " ").map(String.init)
    let result = try run([tool, "--callbacks"] + words + ["--json"])
    guard result.status == 0 else {
      print("\(library[0]): left out, install \(library[1])")
      continue
    }
    let sites = try JSONDecoder().decode([Site].self, from: result.output)
    found[library[0]] = sites
    if result.seconds > slowest.seconds { slowest = (library[0], result.seconds) }
    print(
      library[0].padding(toLength: 14, withPad: " ", startingAt: 0), sites.count,
      sites.count { $0.kind == "field" }, String(format: "%.2f", result.seconds))
  }
  // Read before this process grows, because a child process counts its parent's memory until it executes the program.
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)

  for library in libraries {
    guard let sites = found[library[0]] else { continue }
    let words = library[2].split(separator: " ").map(String.init)
    let headers = Set(sites.map(\.header))
    let count = try IndependentCount.sites(words) { headers.contains($0) }
    let parameters = Set(sites.filter { $0.kind == "parameter" }.map(\.key))
    counted += count.parameters.count + count.fields.count
    uncounted += count.parameters.subtracting(parameters).count
    uncounted += max(0, count.fields.count - sites.count { $0.kind == "field" })
  }

  var contexts = (right: 0, all: 0)
  var shapes = (right: 0, unflagged: 0, all: 0)
  var endings = (found: 0, named: 0, all: 0)
  var (rows, wrong) = (0, 0)
  for row in try table("sites.tsv") {
    guard let site = found[row[0]]?.first(where: { $0.key == row[1] }) else { continue }
    rows += 1
    if row[2] == "callback" || row[2] == "release" {
      contexts.all += 1
      let context = site.context.map { "\($0.index)<\($0.registeredBy)" } ?? "-"
      if context == row[3] || row[3].hasSuffix("<?") && context.hasPrefix(row[3].dropLast()) { contexts.right += 1 }
    }
    let isRight = site.role == row[2] && (row[2] != "callback" || (site.life ?? "?") == row[4])
    if row[7] == "yes" {
      shapes.all += 1
      if isRight { shapes.right += 1 }
      if isRight, site.certainty != "asked" { shapes.unflagged += 1 }
    }
    if !isRight, site.certainty != "asked", row[4] != "?" { wrong += 1 }
    guard row[2] == "callback", row[6] != "-" else { continue }
    endings.all += 1
    if !site.unregister.isEmpty { endings.named += 1 }
    if site.unregister.contains(where: { $0.function + ($0.withNull ? ":null" : "") == row[6] }) { endings.found += 1 }
  }

  // Compiles the generated files in a package with default settings.
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-wrap-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  var targets = ""
  var (written, skipped, mustSkip) = (0, 0, 0)
  for library in libraries where found[library[0]] != nil {
    let words = library[2].split(separator: " ").map(String.init)
    let name = "Wrapped" + library[0].capitalized
    let result = try run([tool, "--callbacks"] + words + ["--module", name, "--output", folder.path + "/Sources"])
    let text = String(decoding: result.output, as: UTF8.self)
    guard result.status == 0, let match = text.firstMatch(of: /: (\d+) written, (\d+) skipped/) else {
      print(text)
      missed.append("writing \(library[0])")
      continue
    }
    written += Int(match.1) ?? 0
    let roles = found[library[0]]?.count { $0.role != "callback" && $0.role != "release" } ?? 0
    mustSkip += roles
    skipped += (Int(match.2) ?? 0) - roles
    let package = words.firstIndex(of: "--pkg-config").map { ", pkgConfig: \"\(words[$0 + 1])\"" } ?? ""
    targets += """
        .systemLibrary(name: "C\(name)"\(package)),
        .target(name: "\(name)", dependencies: ["C\(name)", .product(name: "Callbacks", package: "headwater")],
          exclude: ["\(name).choices"]),

      """
  }
  let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "wrapped", platforms: [.macOS(.v26)],
      dependencies: [.package(name: "headwater", path: "\(root)")],
      targets: [
    \(targets)  ], swiftLanguageModes: [.v6])
    """
  try manifest.write(to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
  print("compiling what is written…")
  let build = try run(["swift", "build", "--disable-index-store"], in: folder)
  let diagnostics = Set(
    String(decoding: build.output, as: UTF8.self).split(separator: "\n")
      .filter { $0.contains("Wrapped") && ($0.contains(": error:") || $0.contains(": warning:")) })
  for diagnostic in diagnostics.sorted().prefix(20) { print(diagnostic) }

  let all = found.values.joined()
  print("")
  goal("found, beside an independent count", counted - uncounted, of: counted, atLeast: 100)
  goal("context right", contexts.right, of: contexts.all, atLeast: 95)
  goal("shape right, where the header decides", shapes.right, of: shapes.all, atLeast: 90)
  goal("shape right without a flag", shapes.unflagged, of: shapes.all, atLeast: 75)
  goal("wrong and not flagged", wrong, of: rows, atMost: 5)
  goal("ending function found", endings.found, of: endings.all, atLeast: 75)
  goal("ending function right, of those named", endings.found, of: endings.named, atLeast: 90)
  goal("skipped, besides \(mustSkip) that must be", skipped, of: all.count, atMost: 15)
  print("sites: \(all.count), fields: \(all.count { $0.kind == "field" }), written: \(written)")
  print(
    "slowest header: \(slowest.name), \(String(format: "%.2f s", slowest.seconds)) of processor time; largest process: \(usage.ru_maxrss / 1024) MB"
  )
  print(
    "what is written: \(build.status == 0 ? "compiles" : "does not compile"), \(diagnostics.count) errors and warnings")
  if build.status != 0 || !diagnostics.isEmpty { missed.append("compiling") }
  if slowest.seconds > 3 { missed.append("3 s for a header") }
}
