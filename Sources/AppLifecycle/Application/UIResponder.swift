public import Foundation

/// What an application's delegate derives from. There are no events here, so it does nothing; it says that the delegate
/// can be made without arguments, which `@main` and `UIApplicationMain` need.
@preconcurrency @MainActor
open class UIResponder: NSObject {
  /// A responder. A subclass that overrides this marks it `required`.
  nonisolated public required override init() { super.init() }
}
