// A program with a real main thread, for the tests of what depends on it: notifications on `OperationQueue.main`.
//
//   ContinuoProbe dispatch SONG   the main thread is in dispatchMain()
//   ContinuoProbe runloop SONG    the main thread is in RunLoop.main.run()
//   ContinuoProbe application     UIApplicationMain, as a main.swift calls it
//   ContinuoProbe main            what `@main` before a delegate calls
//   ContinuoProbe phone WORD…     an application for a phone, which works all the time; see PhoneApplication.swift
//
// It launches an application, plays SONG once to nobody, presses the home button, and prints a line for each thing that
// its observers are told. It ends by itself, but for `phone`.

import Continuo

@MainActor
final class Diary {
  private let player: AVQueuePlayer
  private let device = Device(modes: BackgroundModes())
  private var observations: [NSKeyValueObservation] = []

  init(song: URL) {
    Device.current = device
    PlaybackEnvironment.current = PlaybackEnvironment(output: .simulated)
    player = AVQueuePlayer(items: [AVPlayerItem(url: song)])
    observations = [
      player.observe(\.rate) { player, _ in print("rate \(player.rate)") },
      player.observe(\.currentItem) { [weak self] player, _ in
        print("item \(player.currentItem == nil ? "none" : "another")")
        MainActor.assumeIsolated { self?.pressHome() }
      },
    ]
    follow(AVPlayer.rateDidChangeNotification, "rate changed", of: player)
    follow(.AVPlayerItemDidPlayToEndTime, "ended", of: player.currentItem)
    for (name, line) in [
      (UIApplication.didFinishLaunchingNotification, "launched"),
      (UIApplication.didBecomeActiveNotification, "active"),
      (UIApplication.didEnterBackgroundNotification, "background"),
    ] {
      follow(name, line, of: nil)
    }
    // A constant, where the others are followed by a variable: the compiler calls two functions.
    _ = NotificationCenter.default.addObserver(
      forName: AVAudioSession.routeChangeNotification, object: AVAudioSession.sharedInstance(), queue: .main
    ) { _ in
      dispatchPrecondition(condition: .onQueue(.main))
      print("category")
    }
    Task {
      await device.launch()
      try AVAudioSession.sharedInstance().setCategory(.playback)
      player.play()
    }
  }

  private func follow(
    _ name: Notification.Name, _ line: String, of object: AnyObject?, queue: OperationQueue? = .main
  ) {
    _ = NotificationCenter.default.addObserver(forName: name, object: object, queue: queue) { _ in
      dispatchPrecondition(condition: .onQueue(.main))
      print(line)
    }
  }

  private func pressHome() {
    Task {
      await device.pressHomeButton()
      exit(0)
    }
  }
}

/// Prints how it is launched.
final class ProbeDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    print("launched, \(application.applicationState), modes \(Device.current.modes)")
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    precondition(application.delegate === self && application === UIApplication.shared)
    print("active")
    // By a timer of the run loop, a task of the main actor and the main queue, one after the other.
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
      Task { @MainActor in DispatchQueue.main.async { exit(0) } }
    }
  }
}

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "application":
  UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(ProbeDelegate.self))
case "main": ProbeDelegate.main()
case "phone": PhoneDelegate.main()
default: break
}
guard let style = arguments.first, let song = arguments.dropFirst().first else { exit(64) }
let diary = Diary(song: URL(fileURLWithPath: song))
if style == "runloop" { RunLoop.main.run() } else { dispatchMain() }
