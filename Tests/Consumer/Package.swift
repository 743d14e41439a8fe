// swift-tools-version: 6.2
import PackageDescription

// Uses Headwater from outside, as another package does: with Swift's default settings and none of Headwater's own.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v26)],
  products: [
    // The tests link their programs with this library, so that linking takes milliseconds.
    .library(name: "Everything", type: .dynamic, targets: ["Everything"])
  ],
  dependencies: [.package(name: "headwater", path: "../..", traits: ["Macros", "Tracing"])],
  targets: [
    .target(
      name: "Everything",
      dependencies: [
        .product(name: "Headwater", package: "headwater"),
        .product(name: "FoundationSupport", package: "headwater"),
        .product(name: "DelegateMacros", package: "headwater"),
      ]),
    .testTarget(
      name: "ConsumerTests",
      dependencies: ["Everything", .product(name: "StreamsTesting", package: "headwater")]),
    .testTarget(
      name: "GuideTests",
      dependencies: [
        .product(name: "Headwater", package: "headwater"), .product(name: "StreamsTesting", package: "headwater"),
      ]),
    // The same file, with the settings that README recommends.
    .testTarget(
      name: "MainActorGuideTests",
      dependencies: [
        .product(name: "Headwater", package: "headwater"), .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  ],
  swiftLanguageModes: [.v6]
)
