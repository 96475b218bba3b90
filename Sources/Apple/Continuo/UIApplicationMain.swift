public import AppLifecycle
import AudioSession
import Clocks
import Foundation
import Glibc

/// Starts an application and runs the main run loop; never returns. Makes a new device `Device.current`,
/// connects the players of `PlaybackEnvironment.current`, creates the delegate and launches the application,
/// unless `continuo phone run` launches it in the background.
/// The background modes are those under `UIBackgroundModes` in the file `Info.plist` beside the program, the
/// permitted task identifiers those under `BGTaskSchedulerPermittedIdentifiers`; both are empty without that
/// file. If the file cannot be used, the program reports that on standard error and exits with status 78. The
/// option `--background-modes` of `continuo phone run` replaces the modes.
///
/// Must be called once, on the main thread. `@main` on a delegate class derived from `UIResponder` does so.
///
/// - Parameters:
///   - argc: the number of the program's arguments; ignored.
///   - argv: the program's arguments; ignored.
///   - principalClassName: ignored, because the application is always a `UIApplication`.
///   - delegateClassName: `NSStringFromClass` of the delegate's class, which must derive from `UIResponder`
///     and conform to `UIApplicationDelegate`; nil for an application without a delegate. Stops the program if
///     no such class exists.
@discardableResult
@preconcurrency @MainActor
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
  /// Starts an application with a delegate of this class, as `UIApplicationMain` does. Called by `@main`.
  @MainActor public static func main() { runApplication { Self() } }
}

@MainActor private func runApplication(_ makeDelegate: () -> (any UIApplicationDelegate)?) -> Never {
  let (modes, settings) = rulesOfProgram()
  let device = Device(modes: PhoneLink.shared?.modes ?? modes, settings: settings)
  Device.current = device
  device.connect()
  let delegate = makeDelegate()
  device.application.delegate = delegate
  // The application's reference to its delegate is weak, so the delegate is retained here permanently.
  if let delegate { _ = Unmanaged.passRetained(delegate as AnyObject) }
  if PhoneLink.shared?.launchesInBackground != true { device.launch() }
  RunLoop.main.run()
  // The run loop returns if it has no sources to wait for; the main queue must still be served.
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
