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
  name: "GLibStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "GLibStreams", targets: ["GLibStreams"])],
  dependencies: [
    // In a copy of this folder, replace the path with the URL of Headwater's repository.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"]), .brew(["glib"])]),
    .target(
      name: "GLibStreams",
      dependencies: [
        "CGLib",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GLibStreamsTests",
      dependencies: [
        "GLibStreams", "CGLib",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
