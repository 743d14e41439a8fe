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
  name: "MQTTStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "MQTTStreams", targets: ["MQTTStreams"])],
  dependencies: [
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]),
    // Written by wrap-callbacks, with the settings of a new package.
    .target(
      name: "Mosquitto", dependencies: ["CMosquitto", .product(name: "Callbacks", package: "headwater")],
      exclude: ["Mosquitto.choices"]),
    .target(
      name: "MQTTStreams",
      dependencies: ["CMosquitto", "Mosquitto", .product(name: "Streams", package: "headwater")],
      swiftSettings: settings),
    .executableTarget(
      name: "mqtt-lines",
      dependencies: [
        "MQTTStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "MQTTStreamsTests",
      dependencies: [
        "MQTTStreams", "mqtt-lines",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
