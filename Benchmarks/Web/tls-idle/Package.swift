// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because only Scripts/bench web needs it.
let package = Package(
  name: "tls-idle",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "headwater", path: "../../.."),
    .package(path: "../../../Examples/TLSStreams"),
  ],
  targets: [
    .executableTarget(
      name: "tls-idle",
      dependencies: [
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "Streams", package: "headwater"),
        .product(name: "TLSStreams", package: "TLSStreams"),
      ])
  ]
)
