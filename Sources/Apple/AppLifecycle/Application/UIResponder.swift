public import Foundation

/// The base class of an application's delegate. It handles no events; it guarantees an initializer without
/// arguments, which `@main` and `UIApplicationMain` need.
@preconcurrency @MainActor
open class UIResponder: NSObject {
  /// Creates a responder. An override must be marked `required`.
  nonisolated public required override init() { super.init() }
}
