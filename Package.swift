// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// The language features of every target.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// Products of swift-syntax. If the trait `Macros` is off, nothing uses that package, and SwiftPM does not resolve it.
func syntax(_ products: String...) -> [Target.Dependency] {
  products.map { .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"])) }
}

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
    .library(name: "ReactiveKitCompatibility", targets: ["ReactiveKitCompatibility"]),
    .library(name: "DelegateMacros", targets: ["DelegateMacros"]),
    .executable(name: "wrap-library", targets: ["wrap-library"]),
    .plugin(name: "WrapLibraryPlugin", targets: ["WrapLibraryPlugin"]),
    .executable(name: "view-trace", targets: ["view-trace"]),
    .plugin(name: "ViewTracePlugin", targets: ["ViewTracePlugin"]),
  ],
  traits: [
    .trait(
      name: "Macros", description: "The macros of the product DelegateMacros. They bring swift-syntax into the build."),
    .trait(
      name: "Tracing",
      description: "Records what the streams of a program do. Without it, no code is added."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
  ],
  targets: [
    .target(name: "CStreams", cSettings: [.define("HEADWATER_TRACING", .when(traits: ["Tracing"]))]),
    .target(
      name: "Streams",
      dependencies: [
        "CStreams", .product(name: "DequeModule", package: "swift-collections"),
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
    .target(name: "Delegates", dependencies: ["CStreams", "Streams", "Properties"], swiftSettings: settings),
    .target(name: "FoundationSupport", dependencies: ["Streams", "Properties"], swiftSettings: settings),
    .target(name: "Callbacks", dependencies: ["CStreams", "Streams"], swiftSettings: settings),
    .systemLibrary(
      name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .target(name: "CEventLoops"),
    .target(
      name: "EventLoops",
      dependencies: [
        "Streams", "Callbacks", "CUV", "CEventLoops", "CStreams",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      // `Bytes.span` needs it.
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "FileWatching", dependencies: ["EventLoops"], swiftSettings: settings),
    .target(
      name: "Headwater",
      dependencies: [
        "Streams", "Properties", "Stores", "Delegates", "Callbacks", "EventLoops", "FileWatching",
      ],
      swiftSettings: settings),
    .target(
      name: "ReactiveKitCompatibility", dependencies: ["Streams", "Properties", "EventLoops"], swiftSettings: settings),
    // Reads C headers and generates Swift code. No library depends on it.
    .target(name: "LibraryWrapping", swiftSettings: settings),
    .executableTarget(name: "wrap-library", dependencies: ["LibraryWrapping"], swiftSettings: settings),
    .plugin(
      name: "WrapLibraryPlugin",
      capability: .command(
        intent: .custom(verb: "wrap-library", description: "Writes a Swift library from C headers."),
        permissions: [.writeToPackageDirectory(reason: "The Swift files and module maps are written there.")]),
      dependencies: ["wrap-library"]),
    // Makes a page that shows a recording. No library depends on it.
    .executableTarget(name: "view-trace", resources: [.copy("Viewer")], swiftSettings: settings),
    .plugin(
      name: "ViewTracePlugin",
      capability: .command(
        intent: .custom(verb: "view-trace", description: "Writes a page that shows a recording."),
        permissions: [.writeToPackageDirectory(reason: "The page is written there.")]),
      dependencies: ["view-trace"]),
    // Helpers for several test targets.
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
      name: "CallbacksTests",
      dependencies: ["Callbacks", "Delegates", "EventLoops", "StreamsTesting", "HostileC", "Schedules"],
      swiftSettings: settings),
    .testTarget(
      name: "PropertiesTests", dependencies: ["Properties", "EventLoops", "StreamsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "StoresTests", dependencies: ["Stores", "EventLoops", "StreamsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "DelegatesTests",
      dependencies: ["Delegates", "StreamsTesting", "TestSupport", "EventLoops", "Allocations"],
      swiftSettings: settings),
    .testTarget(
      name: "FoundationSupportTests", dependencies: ["FoundationSupport", "EventLoops", "StreamsTesting"],
      swiftSettings: settings),
    .executableTarget(
      name: "loop-probe", dependencies: ["EventLoops", "CUV"], path: "Tests/LoopProbe", swiftSettings: settings),
    // Built with the settings of a new package.
    .executableTarget(name: "async-probe", dependencies: ["EventLoops", "HostileC"], path: "Tests/AsyncProbe"),
    .executableTarget(name: "streams-probe", dependencies: ["Streams"], path: "Tests/StreamsProbe"),
    .executableTarget(name: "traced-probe", dependencies: ["Headwater", "HostileC"], path: "Tests/TracedProbe"),
    .testTarget(
      name: "TracingTests", dependencies: ["Headwater", "StreamsTesting", "traced-probe", "view-trace"],
      exclude: ["packages"], swiftSettings: settings),
    .testTarget(
      name: "EventLoopsTests",
      dependencies: [
        "EventLoops", "Properties", "StreamsTesting", "TestSupport", "Allocations", "loop-probe", "async-probe",
        "streams-probe",
      ],
      exclude: ["packages"],
      swiftSettings: settings),
    .testTarget(
      name: "FileWatchingTests", dependencies: ["FileWatching", "StreamsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ReactiveKitCompatibilityTests",
      dependencies: ["ReactiveKitCompatibility", "StreamsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(name: "HeadwaterTests", swiftSettings: settings),
    .testTarget(
      name: "MigrationTests", dependencies: ["Headwater", "FoundationSupport", "StreamsTesting"],
      swiftSettings: settings),
    .target(
      name: "Schedules", dependencies: ["Streams", "CStreams", "EventLoops", "StreamsTesting", "TestSupport"],
      path: "Tests/Schedules",
      swiftSettings: settings),
    .testTarget(
      name: "SchedulesTests",
      dependencies: ["Schedules", "Streams", "Properties", "Delegates", "EventLoops", "StreamsTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "LibraryWrappingTests", dependencies: ["LibraryWrapping", "wrap-library"],
      exclude: ["Expected", "Programs", "packages"], swiftSettings: settings),
    .target(
      name: "DelegateExpansion",
      dependencies: syntax("SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftParser", "SwiftDiagnostics"),
      swiftSettings: settings),
    .macro(
      name: "DelegateMacrosPlugin",
      dependencies: ["DelegateExpansion"] + syntax("SwiftSyntax", "SwiftSyntaxMacros", "SwiftCompilerPlugin"),
      swiftSettings: settings),
    .target(
      name: "DelegateMacros",
      dependencies: [
        "Streams", "Delegates", .target(name: "DelegateMacrosPlugin", condition: .when(traits: ["Macros"])),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DelegateMacrosTests",
      dependencies: ["DelegateMacros", "DelegateExpansion", "StreamsTesting", "TestSupport"]
        + syntax(
          "SwiftSyntax", "SwiftDiagnostics", "SwiftParser", "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion",
          "SwiftSyntaxMacrosGenericTestSupport"),
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// Scripts/test builds some tests in a build of their own, for example those that need traits.
if let names = Context.environment["HEADWATER_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// A sanitizer build leaves out what it would find nothing in: wrap-library, which parses megabytes on one thread, tests
// that read the sources, and tests that are empty without their traits.
if Context.environment["HEADWATER_SANITIZER"] != nil {
  let names: Set = [
    "LibraryWrapping", "wrap-library", "WrapLibraryPlugin", "LibraryWrappingTests", "view-trace",
    "ViewTracePlugin", "TracingTests", "traced-probe", "HeadwaterTests", "DelegateMacrosTests",
  ]
  package.targets.removeAll { names.contains($0.name) }
  package.products.removeAll { names.contains($0.name) }
}
