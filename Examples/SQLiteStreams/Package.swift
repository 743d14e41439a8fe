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
  name: "SQLiteStreams",
  platforms: [.macOS(.v26)],
  products: [.library(name: "SQLiteStreams", targets: ["SQLiteStreams"])],
  dependencies: [
    // A copy of this folder names the address of the repository here.
    .package(name: "headwater", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // Written by wrap-callbacks, with the settings of a new package.
    .target(
      name: "SQLite", dependencies: ["CSQLite", .product(name: "Callbacks", package: "headwater")],
      exclude: ["SQLite.choices"]),
    .target(
      name: "SQLiteStreams",
      dependencies: [
        "CSQLite", "SQLite",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "table-changes",
      dependencies: [
        "SQLiteStreams",
        .product(name: "Streams", package: "headwater"),
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
      ],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "SQLiteStreamsTests",
      dependencies: [
        "SQLiteStreams", "table-changes", "CSQLite",
        .product(name: "Callbacks", package: "headwater"),
        .product(name: "Delegates", package: "headwater"),
        .product(name: "EventLoops", package: "headwater"),
        .product(name: "StreamsTesting", package: "headwater"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
