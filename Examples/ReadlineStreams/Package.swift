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
  name: "ReadlineStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "ReadlineStreams", targets: ["ReadlineStreams"])],
  dependencies: [
    // In a copy of this folder, replace the path with the URL of the repository.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    // No pkg-config: readline.pc defines feature-test macros, and SwiftPM does not accept such flags.
    .systemLibrary(
      name: "CReadline", providers: [.apt(["libreadline-dev"]), .brew(["readline"])]),
    .target(
      name: "ReadlineStreams",
      dependencies: [
        "CReadline",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "reminders",
      dependencies: [
        "ReadlineStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "ReadlineStreamsTests",
      dependencies: [
        "ReadlineStreams", "reminders",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
