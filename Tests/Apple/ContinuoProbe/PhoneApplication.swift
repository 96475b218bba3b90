import Continuo

/// Writes a line at once, whole, from any thread.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// An application that works all the time: with a timer, a task, a queue and a thread, each of which writes a line every few
/// milliseconds. The words behind `phone` decide what else it does:
///
///     silent      none of that work
///     slow        its delegate takes 0.3 s to be made
///     SONG.mp3    plays that file, and says each 1/100 s of it
///     task        begins a background task in didEnterBackground, for a second
///     late        begins one from a thread, 100 ms after didEnterBackground
///     hold        begins one in didEnterBackground, and never ends it
///     hang        does not return from didEnterBackground
///     child       has a child that works too, and ignores SIGTERM and SIGHUP
///     daemon      has a descendant in a session of its own, which works and ignores SIGTERM and SIGHUP
///     stubborn    ignores SIGTERM and SIGHUP
///     close       closes all descriptors but the standard ones
///     leave       ends by itself in didEnterBackground, with status 7
final class PhoneDelegate: UIResponder, UIApplicationDelegate {
  private let words = Set(CommandLine.arguments.dropFirst(2))
  private var player = AVQueuePlayer()
  private var observer: Any?

  required init() {
    super.init()
    if words.contains("slow") { usleep(300_000) }
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    say("launched \(getpid()), modes \(Device.current.modes)")
    if words.contains("stubborn") || words.contains("child") {
      for number in [SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
    }
    if words.contains("child") { start("/bin/sh", "-c", "while :; do echo child; sleep 0.02; done") }
    if words.contains("daemon") {
      start(
        "/usr/bin/setsid", "--fork", "sh", "-c",
        "trap '' TERM HUP; while :; do echo daemon $$; sleep 0.02; done")
    }
    if !words.contains("silent") { work() }
    if let song = words.first(where: { $0.hasSuffix(".mp3") }) { play(song) }
    if words.contains("close") { for number in Int32(3)..<256 { close(number) } }
    return true
  }

  private func work() {
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in say("timer") }
    Task {
      while true {
        say("task")
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    Thread.detachNewThread {
      while true {
        say("thread")
        usleep(5000)
      }
    }
  }

  private func start(_ program: String, _ arguments: String...) {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: program)
    child.arguments = arguments
    try? child.run()
  }

  private func play(_ song: String) {
    try? AVAudioSession.sharedInstance().setCategory(.playback)
    player = AVQueuePlayer(items: [AVPlayerItem(url: URL(fileURLWithPath: song))])
    observer = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: .main) {
      time in
      if time.timescale == 100 { say("step \(time.value)") }
    }
    _ = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main
    ) { _ in
      say("played")
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) { exit(0) }
    }
    player.play()
  }

  func applicationDidBecomeActive(_ application: UIApplication) { say("active") }
  func applicationWillEnterForeground(_ application: UIApplication) { say("foreground") }
  func applicationWillTerminate(_ application: UIApplication) { say("terminating") }
  func applicationDidReceiveMemoryWarning(_ application: UIApplication) { say("memory warning") }

  func applicationDidEnterBackground(_ application: UIApplication) {
    say("background \(DispatchTime.now().uptimeNanoseconds)")
    if words.contains("leave") { exit(7) }
    if words.contains("hang") { sleep(600) }
    if words.contains("hold") { _ = application.beginBackgroundTask(withName: "held") }
    if words.contains("task") { begin(for: 1) }
    if words.contains("late") {
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.1)
        DispatchQueue.main.async { MainActor.assumeIsolated { self.begin(for: 1) } }
      }
    }
  }

  private func begin(for seconds: Double) {
    let task = UIApplication.shared.beginBackgroundTask(withName: "work")
    say(task == .invalid ? "refused" : "granted")
    guard task != .invalid else { return }
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { UIApplication.shared.endBackgroundTask(task) }
  }
}
