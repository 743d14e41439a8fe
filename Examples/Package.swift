// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let headwater: Target.Dependency = .product(name: "Headwater", package: "headwater")
let testing: Target.Dependency = .product(name: "StreamsTesting", package: "headwater")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A program whose folder has its name.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: name, swiftSettings: settings + [.defaultIsolation(MainActor.self)])
}

// This package is separate, so that packages that use Headwater do not resolve the dependencies of these programs.
// Each folder that wraps a C library is a separate package, too.
let package = Package(
  name: "examples",
  platforms: [.macOS(.v26)],
  traits: [.trait(name: "Tracing", description: "The programs can be recorded.")],
  dependencies: [
    .package(name: "headwater", path: "..", traits: [.trait(name: "Tracing", condition: .when(traits: ["Tracing"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    program("counter", [headwater]),
    program("ViewModel", [headwater]),
    program("DelegateForwarding", [headwater]),
    program("processes", [headwater, argumentParser]),
    program("echo-server", [headwater, argumentParser]),
    program("chat", [headwater, argumentParser]),
    program("greeter", [headwater, argumentParser]),
    program("port-forward", [headwater, argumentParser]),
    program("supervise", [headwater, argumentParser]),
    program("time-server", [headwater, argumentParser]),
    program("follow", [headwater, argumentParser]),
    program("stream-top", [headwater, argumentParser]),
    program(
      "headwatch",
      [
        .product(name: "Streams", package: "headwater"), .product(name: "EventLoops", package: "headwater"),
        .product(name: "FileWatching", package: "headwater"),
      ]),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "counter", "ViewModel", "processes", "DelegateForwarding", "echo-server", "chat", "greeter", "port-forward",
        "supervise", "time-server", "follow", "stream-top", headwater, testing,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HeadwatchTests",
      dependencies: [
        "headwatch", .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"), .product(name: "FileWatching", package: "headwater"),
        testing,
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
