// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Every target is built with the same language features.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let package = Package(
  name: "headwater",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "Headwater", targets: ["Headwater"]),
    .library(name: "Streams", targets: ["Streams"]),
    .library(name: "StreamsTesting", targets: ["StreamsTesting"]),
    .library(name: "Properties", targets: ["Properties"]),
    .library(name: "Stores", targets: ["Stores"]),
    .library(name: "Delegates", targets: ["Delegates"]),
    .library(name: "Callbacks", targets: ["Callbacks"]),
    .library(name: "EventLoops", targets: ["EventLoops"]),
    .library(name: "FoundationSupport", targets: ["FoundationSupport"]),
    .library(name: "FileWatching", targets: ["FileWatching"]),
    .executable(name: "headwatch", targets: ["headwatch"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(
      name: "Streams",
      dependencies: [
        .product(name: "DequeModule", package: "swift-collections")
      ],
      swiftSettings: settings),
    .target(name: "StreamsTesting", dependencies: ["Streams"], swiftSettings: settings),
    .target(
      name: "Properties",
      dependencies: [
        "Streams", .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(name: "Stores", dependencies: ["Streams", "Properties"], swiftSettings: settings),
    .target(name: "Delegates", dependencies: ["Streams", "Properties"], swiftSettings: settings),
    .target(name: "FoundationSupport", dependencies: ["Streams", "Properties"], swiftSettings: settings),
    .target(name: "Callbacks", dependencies: ["Streams"], swiftSettings: settings),
    .systemLibrary(
      name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .target(name: "CEventLoops"),
    .target(
      name: "EventLoops", dependencies: ["Streams", "Callbacks", "CUV", "CEventLoops"],
      // For Bytes.span.
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "FileWatching", dependencies: ["EventLoops"], swiftSettings: settings),
    .target(
      name: "Headwater",
      dependencies: [
        "Streams", "Properties", "Stores", "Delegates", "FoundationSupport", "Callbacks", "EventLoops", "FileWatching",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "headwatch",
      dependencies: [
        "Streams", "EventLoops", "FileWatching", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/headwatch",
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "counter", dependencies: ["Headwater"], path: "Examples/counter",
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "ViewModel", dependencies: ["Headwater"], path: "Examples/ViewModel",
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "DelegateForwarding", dependencies: ["Headwater"], path: "Examples/DelegateForwarding",
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "processes",
      dependencies: [
        "Headwater", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/processes",
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    // What several test targets use.
    .target(name: "TestSupport", dependencies: ["Streams"], path: "Tests/TestSupport", swiftSettings: settings),
    // Counts allocations, for tests and benchmarks.
    .target(name: "Allocations", path: "Tests/Allocations"),
    .testTarget(
      name: "StreamsTests", dependencies: ["Streams", "StreamsTesting", "TestSupport", "Allocations"],
      swiftSettings: settings),
    .testTarget(
      name: "StreamsTestingTests", dependencies: ["Streams", "StreamsTesting"],
      swiftSettings: settings),
    .target(name: "HostileC", path: "Tests/HostileC"),
    .testTarget(
      name: "CallbacksTests", dependencies: ["Callbacks", "EventLoops", "StreamsTesting", "HostileC"],
      swiftSettings: settings),
    .testTarget(
      name: "PropertiesTests", dependencies: ["Properties", "EventLoops", "StreamsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "StoresTests", dependencies: ["Stores", "EventLoops", "StreamsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "DelegatesTests", dependencies: ["Delegates", "StreamsTesting", "TestSupport", "Allocations"],
      swiftSettings: settings),
    .testTarget(
      name: "FoundationSupportTests", dependencies: ["FoundationSupport", "EventLoops", "StreamsTesting"],
      swiftSettings: settings),
    .executableTarget(
      name: "loop-probe", dependencies: ["EventLoops"], path: "Tests/LoopProbe", swiftSettings: settings),
    .testTarget(
      name: "EventLoopsTests",
      dependencies: ["EventLoops", "StreamsTesting", "TestSupport", "Allocations", "loop-probe"],
      swiftSettings: settings),
    .testTarget(
      name: "FileWatchingTests", dependencies: ["FileWatching", "StreamsTesting"],
      swiftSettings: settings),
    .testTarget(name: "HeadwaterTests", dependencies: ["Headwater", "StreamsTesting"], swiftSettings: settings),
    .testTarget(name: "HeadwatchTests", dependencies: ["headwatch", "StreamsTesting"], swiftSettings: settings),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "counter", "ViewModel", "processes", "DelegateForwarding", "echo-server", "chat", "port-forward", "supervise",
        "time-server", "follow",
        "Headwater", "StreamsTesting",
      ],
      swiftSettings: settings),
  ]
    // Small programs on the loop, each in a folder of its name.
    + ["echo-server", "chat", "port-forward", "supervise", "time-server", "follow"].map { name in
      .executableTarget(
        name: name,
        dependencies: ["Headwater", .product(name: "ArgumentParser", package: "swift-argument-parser")],
        path: "Examples/\(name)",
        swiftSettings: settings + [.defaultIsolation(MainActor.self)])
    },
  swiftLanguageModes: [.v6]
)

// The macros, and with them swift-syntax: who depends on another product compiles neither. Scripts/test leaves them out when
// it builds for a sanitizer. The plugin runs inside of the compiler and what it generates is what the tests of `Delegates`
// write by hand, so there is nothing to find that they do not, and a build of swift-syntax for each sanitizer is minutes.
if Context.environment["HEADWATER_SANITIZER"] == nil {
  package.products.append(.library(name: "DelegateMacros", targets: ["DelegateMacros"]))
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"))
  package.targets += [
    .target(
      name: "DelegateExpansion",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .macro(
      name: "DelegateMacrosPlugin",
      dependencies: [
        "DelegateExpansion",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .target(
      name: "DelegateMacros", dependencies: ["Streams", "Delegates", "DelegateMacrosPlugin"], swiftSettings: settings),
    .testTarget(
      name: "DelegateMacrosTests",
      dependencies: [
        "DelegateMacros", "DelegateExpansion", "StreamsTesting", "TestSupport",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ],
      swiftSettings: settings),
  ]
  // It compiles the snippets of the guides, some of which use macros.
  package.targets.first { $0.name == "HeadwaterTests" }?.dependencies.append("DelegateMacros")
}
