// swift-tools-version: 6.2
import PackageDescription

/// Files with Apple's imports, in both language modes.
let ported = [("Ported5", SwiftLanguageMode.v5), ("Ported6", .v6)].map { name, mode in
  Target.executableTarget(
    name: name,
    dependencies: [
      .product(name: "AppleFrameworks", package: "continuo", condition: .when(platforms: [.linux]))
    ],
    swiftSettings: [.swiftLanguageMode(mode)])
}

// What somebody else's package looks like; `.ci/client/run` puts a clone of this repository, with a version, beside it.
let package = Package(
  name: "client",
  dependencies: [.package(url: "CONTINUO", from: "1.0.0", traits: [])],
  targets: [
    .executableTarget(name: "Client", dependencies: [.product(name: "Continuo", package: "continuo")])
  ] + ported
)
