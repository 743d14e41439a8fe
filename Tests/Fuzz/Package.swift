// swift-tools-version: 6.2
import PackageDescription

// Programs with which libFuzzer tests the code that parses bytes. `Scripts/soak fuzz` builds and runs them. They are a package
// of their own, because every module in it must be compiled with -sanitize=fuzzer.

/// The gold linker cannot link the driver.
let linking: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "headwater", path: "../..")],
  targets: [
    .target(name: "FuzzDriver"),
    .executableTarget(
      name: "fuzz-framing", dependencies: ["FuzzDriver", .product(name: "EventLoops", package: "headwater")],
      linkerSettings: linking),
    .executableTarget(
      name: "fuzz-patterns", dependencies: ["FuzzDriver", .product(name: "FileWatching", package: "headwater")],
      linkerSettings: linking),
    // Its folder LibraryWrapping is a link to the sources of that module, which no product contains.
    .executableTarget(name: "fuzz-choices", dependencies: ["FuzzDriver"], linkerSettings: linking),
  ],
  swiftLanguageModes: [.v6]
)
