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
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    // Without pkg-config: its file has feature-test macros, which Swift packages may not pass on.
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
