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
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    // Without pkg-config: Debian's file has a flag that SwiftPM refuses.
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
