// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of Headwater never resolve the libraries that it is compared with.
let package = Package(
  name: "benchmarks",
  traits: [
    .trait(name: "Peers", description: "The libraries that only Scripts/bench peers measures."),
    .trait(name: "Tracing", description: "Builds Headwater with its trait Tracing, for Scripts/bench tracing."),
  ],
  dependencies: [
    .package(
      name: "headwater", path: "..", traits: [.trait(name: "Tracing", condition: .when(traits: ["Tracing"]))]),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/DeclarativeHub/ReactiveKit", from: "3.19.0"),
    .package(url: "https://github.com/ReactiveCocoa/ReactiveSwift", from: "7.0.0"),
    .package(url: "https://github.com/ReactiveX/RxSwift", from: "6.9.0"),
  ],
  targets: [
    .target(name: "Allocations"),
    .executableTarget(
      name: "bench-streams",
      dependencies: [
        "Allocations",
        .product(name: "Headwater", package: "headwater"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "ReactiveKit", package: "ReactiveKit", condition: .when(traits: ["Peers"])),
        .product(name: "ReactiveSwift", package: "ReactiveSwift", condition: .when(traits: ["Peers"])),
        .product(name: "RxSwift", package: "RxSwift", condition: .when(traits: ["Peers"])),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "bench-tracing",
      dependencies: [.product(name: "Streams", package: "headwater")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .target(name: "CallingC"),
    // Measures the quality of wrap-library. It runs the program and imports no module.
    .executableTarget(name: "bench-wrap", swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "bench-callbacks",
      dependencies: [
        "Allocations", "CallingC",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "Streams", package: "headwater"),
      ]),
    .executableTarget(
      name: "bench-properties",
      dependencies: [
        "Allocations",
        .product(name: "Properties", package: "headwater"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "bench-delegates",
      dependencies: [
        "Allocations",
        .product(name: "Delegates", package: "headwater"),
        .product(name: "Streams", package: "headwater"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "bench-loop",
      dependencies: [
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "Streams", package: "headwater"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(name: "bench-size", dependencies: [.product(name: "Headwater", package: "headwater")]),
    .executableTarget(
      name: "bench-watch",
      dependencies: [.product(name: "Headwater", package: "headwater")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6]
)
