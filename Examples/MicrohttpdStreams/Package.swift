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
  name: "MicrohttpdStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "MicrohttpdStreams", targets: ["MicrohttpdStreams"])],
  dependencies: [
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    // Written by wrap-callbacks, with the settings of a new package.
    .target(
      name: "Microhttpd", dependencies: ["CMicrohttpd", .product(name: "Callbacks", package: "headwater")],
      exclude: ["Microhttpd.choices"]),
    .target(
      name: "MicrohttpdStreams",
      dependencies: [
        "CMicrohttpd", "Microhttpd",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "hello-http",
      dependencies: [
        "MicrohttpdStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "MicrohttpdStreamsTests",
      dependencies: [
        "MicrohttpdStreams", "hello-http",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
