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
  name: "CurlStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "CurlStreams", targets: ["CurlStreams"])],
  dependencies: [
    // In a copy of this folder, replace the path with the URL of Headwater's repository.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .target(
      name: "CurlStreams",
      dependencies: [
        "CCurl",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "curl-many",
      dependencies: [
        "CurlStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "CurlStreamsTests",
      dependencies: [
        "CurlStreams", "curl-many", "CCurl",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
