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

let streams: Target.Dependency = .product(name: "Streams", package: "headwater")
let eventLoops: Target.Dependency = .product(name: "EventLoops", package: "headwater")
let tlsStreams: Target.Dependency = .product(name: "TLSStreams", package: "TLSStreams")

let package = Package(
  name: "WebStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "WebStreams", targets: ["WebStreams"])],
  dependencies: [
    // In a copy of this folder, replace the path with the URL of Headwater's repository. Copy TLSStreams beside it, too.
    .package(name: "headwater", path: "../.."),
    .package(path: "../TLSStreams"),
  ],
  targets: [
    .systemLibrary(
      name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
    .systemLibrary(name: "CHTTPParser", providers: [.apt(["libhttp-parser-dev"]), .brew(["http-parser"])]),
    .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"]), .brew(["wslay"])]),
    .systemLibrary(name: "CDigest", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(
      name: "WebStreams",
      dependencies: ["CNghttp2", "CHTTPParser", "CWslay", "CDigest", tlsStreams, streams, eventLoops],
      swiftSettings: settings),
    .executableTarget(
      name: "https-server",
      dependencies: [
        "WebStreams", tlsStreams, streams, eventLoops, .product(name: "Properties", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "WebStreamsTests",
      dependencies: [
        "WebStreams", "https-server", tlsStreams, streams, eventLoops,
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
