// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that whoever uses Headwater never resolves what it is compared with.
let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "headwater", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(name: "Allocations"),
    .executableTarget(
      name: "bench-streams",
      dependencies: [
        "Allocations",
        .product(name: "Streams", package: "headwater"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "bench-watch",
      dependencies: [.product(name: "Headwater", package: "headwater")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6]
)
