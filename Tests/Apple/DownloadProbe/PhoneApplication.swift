import Continuo
import ContinuoNetworking
import Synchronization

/// An application for a phone, with a background session. It says what happens, a line each.
final class PhoneDelegate: UIResponder, UIApplicationDelegate {
  private let transfers = PhoneTransfers()
  /// Whether it has begun a task, in this process.
  private var hasBegun = false
  private var words: [String] { Array(CommandLine.arguments.dropFirst(2)) }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    say("launched \(getpid())")
    // The others make it when they are active, or woken.
    if words.first == "rest" { _ = transfers.session }
    if words.contains("early"), isFirst { begin() }
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    say("active")
    if words.contains("early") || words.contains("once") && !isFirst { return }
    if words.first == "download", FileManager.default.fileExists(atPath: words[2]) { return }
    begin()
  }

  /// Whether no process has begun the task yet.
  private var isFirst: Bool { !FileManager.default.fileExists(atPath: words[2] + ".begun") }

  /// Begins the task; with the word `foreground` after a request of a default session.
  private func begin() {
    guard words.contains("foreground"), let closed = URL(string: "http://127.0.0.1:1/") else {
      return beginTask()
    }
    let task = URLSession.shared.dataTask(with: closed) { [self] _, _, _ in
      DispatchQueue.main.async { self.beginTask() }
    }
    task.resume()
  }

  private func beginTask() {
    let (words, session) = (words, transfers.session)
    guard words.count >= 3, let url = URL(string: words[1]) else { return }
    hasBegun = true
    _ = FileManager.default.createFile(atPath: words[2] + ".begun", contents: nil)
    if words.contains("early") { return session.downloadTask(with: url).resume() }
    session.getAllTasks { tasks in
      guard tasks.isEmpty else { return }
      if words[0] == "upload" {
        session.uploadTask(with: URLRequest(url: url), fromFile: URL(fileURLWithPath: words[2])).resume()
      } else {
        let task = session.downloadTask(with: url)
        if words.contains("delayed") { task.earliestBeginDate = Date(timeIntervalSinceNow: 0.5) }
        task.resume()
      }
      say("begun")
    }
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    say("background")
    if hasBegun, words.contains("hang") { sleep(600) }
  }
  func applicationWillTerminate(_ application: UIApplication) { say("terminating") }

  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    say("woken for \(identifier)")
    transfers.finish(completionHandler)
    _ = transfers.session
  }
}

private final class PhoneTransfers: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
  private let handler = Mutex<(@Sendable () -> Void)?>(nil)
  private let made = Mutex<URLSession?>(nil)
  /// Whether the application was woken, and the answer about a delayed task that waits for that.
  private let delay = Mutex<(isWoken: Bool, start: (@Sendable () -> Void)?)>((false, nil))

  var session: URLSession {
    if let session = made.withLock({ $0 }) { return session }
    let isLong = CommandLine.arguments.contains("long")
    let session = URLSession(
      configuration: .background(
        withIdentifier: isLong ? String(repeating: "phone", count: 2000) : "phone"), delegate: self,
      delegateQueue: nil)
    made.withLock { $0 = session }
    return session
  }

  func finish(_ completion: @escaping @Sendable () -> Void) {
    handler.withLock { $0 = completion }
    startIfWoken { $0.isWoken = true }
  }

  private func startIfWoken(_ change: (inout (isWoken: Bool, start: (@Sendable () -> Void)?)) -> Void) {
    let start = delay.withLock { delay in
      change(&delay)
      return delay.isWoken ? delay.start.take() : nil
    }
    start?()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    say("due")
    var request = request
    request.setValue("1", forHTTPHeaderField: "X-Asked")
    startIfWoken { [request] in $0.start = { completionHandler(.useNewRequest, request) } }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) { say("received \(totalBytesWritten)") }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) { say("resumed at \(fileOffset)") }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) { say("sent \(totalBytesSent)") }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    guard let target = CommandLine.arguments.dropFirst(4).first ?? CommandLine.arguments.last else { return }
    do { try FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: target)) } catch {
      say("not moved: \(error)")
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    say("answer \(String(decoding: data, as: UTF8.self))")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
    let reason = (error as? URLError)?.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int
    say(
      "completed \((error as? URLError)?.code.rawValue ?? status)" + (reason.map { ", reason \($0)" } ?? ""))
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    say("all events")
    guard let handler = handler.withLock({ $0.take() }) else { return }
    DispatchQueue.main.async { handler() }
  }
}

/// Writes a line at once, whole, from any thread.
private func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
