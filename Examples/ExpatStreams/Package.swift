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
  name: "ExpatStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "ExpatStreams", targets: ["ExpatStreams"])],
  dependencies: [
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    // Written by wrap-callbacks, with the settings of a new package.
    .target(
      name: "Expat", dependencies: ["CExpat", .product(name: "Callbacks", package: "headwater")],
      exclude: ["Expat.choices"]),
    .target(
      name: "ExpatStreams",
      dependencies: [
        "CExpat", "Expat",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "xml-outline",
      dependencies: [
        "ExpatStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "ExpatStreamsTests",
      dependencies: [
        "ExpatStreams", "xml-outline",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
