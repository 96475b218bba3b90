public import AppLifecycle
import Foundation
import Glibc
import HostTime
import QueuePlayer

/// Starts an application: sets `Device.current` to a new device, connects the players of `PlaybackEnvironment.current`
/// with it, makes the delegate, launches the application and runs the main run loop. Never returns.
///
/// The application's background modes are those of `UIBackgroundModes` in the file `Info.plist` beside the program, and the
/// identifiers of its tasks those of `BGTaskSchedulerPermittedIdentifiers`; none without that file. A program whose `Info.plist` is damaged ends with status 78 and says so on standard error.
///
/// To be called once, on the main thread. `@main` before a delegate that derives from `UIResponder` does the same.
///
/// - Parameters:
///   - argc: the number of the program's arguments; not used.
///   - argv: the program's arguments; not used.
///   - principalClassName: not used: the application is always a `UIApplication`.
///   - delegateClassName: `NSStringFromClass` of the delegate's class, which must derive from `UIResponder`; nil for an
///     application without a delegate. Stops the program if there is no such class.
@discardableResult
@MainActor
public func UIApplicationMain(
  _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ principalClassName: String?,
  _ delegateClassName: String?
) -> Int32 {
  guard let delegateClassName else { runApplication { nil } }
  guard let type = NSClassFromString(delegateClassName) as? any (UIResponder & UIApplicationDelegate).Type
  else {
    preconditionFailure(
      "\(delegateClassName) is no class that derives from UIResponder and is a UIApplicationDelegate")
  }
  runApplication { type.init() }
}

extension UIApplicationDelegate where Self: UIResponder {
  /// Starts an application with a delegate of this class, as `UIApplicationMain` does: what `@main` calls.
  @MainActor public static func main() { runApplication { Self() } }
}

@MainActor private func runApplication(_ makeDelegate: () -> (any UIApplicationDelegate)?) -> Never {
  let (modes, settings) = rulesOfProgram()
  let device = Device(modes: modes, settings: settings)
  Device.current = device
  device.connect()
  let delegate = makeDelegate()
  device.application.delegate = delegate
  // The application does not keep its delegate.
  if let delegate { _ = Unmanaged.passRetained(delegate as AnyObject) }
  device.launch()
  RunLoop.main.run()
  // The run loop ends if it has nothing to wait for; the main queue goes on without it.
  dispatchMain()
}

private func rulesOfProgram() -> (modes: BackgroundModes, settings: LifecycleSettings) {
  let file = Bundle.main.bundleURL.appendingPathComponent("Info.plist")
  guard FileManager.default.fileExists(atPath: file.path) else {
    return (BackgroundModes(), LifecycleSettings())
  }
  do throws(InfoPlistError) {
    let modes = try BackgroundModes(infoPlist: file)
    for warning in modes.warnings { say("\(file.path): \(warning)") }
    var settings = LifecycleSettings()
    try settings.readPermittedTaskIdentifiers(infoPlist: file.path(percentEncoded: false))
    return (modes, settings)
  } catch {
    say(error.description)
    exit(EX_CONFIG)
  }
}

private func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
