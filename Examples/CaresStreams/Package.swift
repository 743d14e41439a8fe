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
  name: "CaresStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "CaresStreams", targets: ["CaresStreams"])],
  dependencies: [
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CCares", pkgConfig: "libcares",
      providers: [.apt(["libc-ares-dev"]), .brew(["c-ares"])]),
    // Written by wrap-callbacks, with the settings of a new package.
    .target(
      name: "Cares", dependencies: ["CCares", .product(name: "Callbacks", package: "headwater")],
      exclude: ["Cares.choices"]),
    .target(
      name: "CaresStreams",
      dependencies: [
        "CCares", "Cares",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "resolve",
      dependencies: [
        "CaresStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "CaresStreamsTests",
      dependencies: [
        "CaresStreams", "resolve",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
