// swift-tools-version: 6.2
import PackageDescription

// What somebody else's package looks like; `.ci/client/run` puts a clone of this repository, with a version, beside it.
let package = Package(
  name: "client",
  dependencies: [.package(url: "CONTINUO", from: "1.0.0")],
  targets: [
    .executableTarget(name: "Client", dependencies: [.product(name: "Continuo", package: "continuo")])
  ]
)
