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
  name: "HiredisStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "HiredisStreams", targets: ["HiredisStreams"])],
  dependencies: [
    // In a copy of this folder, replace the path with the URL of Headwater's repository.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    // Doesn't use pkg-config, because Debian's hiredis.pc has a flag that SwiftPM rejects.
    .systemLibrary(
      name: "CHiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
    .target(
      name: "HiredisStreams",
      dependencies: [
        "CHiredis",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "redis-listen",
      dependencies: [
        "HiredisStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "HiredisStreamsTests",
      dependencies: [
        "HiredisStreams", "redis-listen", "CHiredis",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
