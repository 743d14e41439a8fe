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
  name: "TLSStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "TLSStreams", targets: ["TLSStreams"])],
  dependencies: [
    // In a copy of this folder, replace the path with the URL of Headwater's repository.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(
      name: "TLSStreams",
      dependencies: [
        "COpenSSL",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "tls-echo",
      dependencies: [
        "TLSStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "TLSStreamsTests",
      dependencies: [
        "TLSStreams", "tls-echo",
        .product(name: "Streams", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
