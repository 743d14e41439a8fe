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

let package = Package(
  name: "fleet",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "headwater", path: "../.."),
    .package(path: "../MQTTStreams"),
    .package(path: "../SQLiteStreams"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    // The C libraries are those of the two packages; Scripts/test-examples reads these names:
    // .apt(["libmosquitto-dev", "libsqlite3-dev"]), .brew(["mosquitto", "sqlite"])
    .executableTarget(
      name: "fleet",
      dependencies: [
        "MQTTStreams", "SQLiteStreams",
        .product(name: "Headwater", package: "headwater"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "FleetTests",
      dependencies: [
        "fleet", "MQTTStreams", "SQLiteStreams",
        .product(name: "Headwater", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
