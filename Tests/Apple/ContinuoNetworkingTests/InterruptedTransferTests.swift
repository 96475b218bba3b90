import ContinuoNetworking
import ContinuoTesting
import Synchronization
import Testing

private let file: [UInt8] = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 7) }
private let address = "https://files.test/a.bin"

/// Technical Note TN2277, T12: a task that is refused, a network that breaks, a suspension and an end: transfers that can be
/// gone on with help with all of them.
@MainActor
@Suite("T12: transfers that can be gone on with", .timeLimit(.minutes(10)))
struct InterruptedTransferTests {
  enum Interruption: CaseIterable {
    case noBackgroundTime, network, suspension, termination
  }

  @Test("each of the four ends with the same file", arguments: Interruption.allCases)
  func sameFile(_ interruption: Interruption) async throws {
    var settings = LifecycleSettings()
    if interruption == .noBackgroundTime { settings.backgroundTime = 0 }
    try await withTestDevice(settings: settings, recordsSound: false) { device in
      device.network.serve(.data(file, etag: "\"1\""), at: address)
      device.network.link = .init(bytesPerSecond: 10_000)
      if interruption == .network { device.network.host("files.test").resets(every: 300_000) }
      await device.launchApplication()
      let log = TransferLog()
      let saved = Mutex<Data?>(nil)
      var session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      let task = session.downloadTask(with: try #require(URL(string: address)))
      task.resume()
      await device.advance(by: .seconds(20))
      switch interruption {
      case .noBackgroundTime:
        // What it does in the background is to stop by itself, since there is no time for more.
        let center = NotificationCenter.default
        let name = UIApplication.didEnterBackgroundNotification
        let observer = center.addObserver(forName: name, object: UIApplication.shared, queue: nil) { _ in
          MainActor.assumeIsolated {
            let task = UIApplication.shared.beginBackgroundTask(withName: "download")
            #expect(task == .invalid)
          }
          task.cancel { data in saved.withLock { $0 = data } }
        }
        await device.pressHomeButton()
        center.removeObserver(observer)
        await device.advance(by: .seconds(100))
        #expect(device.state == .suspended)
        await device.foreground()
      case .network:
        await device.advance(by: .seconds(40))
        #expect(log.error?.code == .networkConnectionLost)
        saved.withLock { $0 = log.error?.downloadTaskResumeData }
        device.network.host("files.test").recovers()
      case .suspension:
        await device.pressHomeButton()
        await device.advance(by: .seconds(100))
        await device.foreground()
        #expect(log.error?.code == .networkConnectionLost)
        saved.withLock { $0 = log.error?.downloadTaskResumeData }
      case .termination:
        let identifier = Mutex(UIBackgroundTaskIdentifier.invalid)
        let begun = UIApplication.shared.beginBackgroundTask(withName: "download") {
          task.cancel { data in
            saved.withLock { $0 = data }
            MainActor.assumeIsolated {
              UIApplication.shared.endBackgroundTask(identifier.withLock { $0 })
            }
          }
        }
        identifier.withLock { $0 = begun }
        device.network.link = .init(bytesPerSecond: 1_000)
        await device.pressHomeButton()
        await device.advance(by: .seconds(200))
        await device.terminate()
        await device.launch()
        session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
        device.network.link = .init(bytesPerSecond: 10_000)
      }
      let data = try #require(saved.withLock { $0 })
      session.downloadTask(withResumeData: data).resume()
      await device.advance(by: .seconds(100))
      #expect(log.lines.last == "complete" && log.file == Data(file))
      #expect(log.lines.contains { $0.hasPrefix("resumed at") } && device.termination == nil)
      // What was there was not fetched once more, but for what is compared.
      #expect(device.network.requests.count == 2 && device.network.requests.last?.range != nil)
    }
  }

  /// The reasons for which an attempt to resume ends before there is an answer.
  enum EarlyEnd: CaseIterable {
    case noNetwork, suspension, cancelled, cancelledBeforeStart, timeout, refusedChallenge
  }

  @Test(
    "an attempt to resume that gets no answer keeps the bytes and their resume data",
    arguments: EarlyEnd.allCases)
  func resumeWithoutAnswer(_ end: EarlyEnd) async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data(file, etag: "\"1\""), at: address)
      device.network.link = .init(bytesPerSecond: 100_000)
      await device.launchApplication()
      let log = TransferLog()
      let configuration = URLSessionConfiguration.default
      configuration.timeoutIntervalForResource = 60
      let session = URLSession(configuration: configuration, delegate: log, delegateQueue: .main)
      let first = session.downloadTask(with: try #require(URL(string: address)))
      first.resume()
      await device.advance(by: .seconds(3))
      let saved = Mutex<Data?>(nil)
      first.cancel { data in saved.withLock { $0 = data } }
      await device.advance(by: .zero)
      let data = try #require(saved.withLock { $0 })
      saved.withLock { $0 = nil }
      let host = device.network.host("files.test")
      let second = session.downloadTask(withResumeData: data)
      if end == .timeout || end == .suspension || end == .cancelled { host.answers(after: .seconds(90)) }
      switch end {
      case .noNetwork:
        device.network.goOffline(for: .seconds(10))
        second.resume()
      case .suspension:
        second.resume()
        await device.advance(by: .seconds(1))
        await device.pressHomeButton()
        await device.foreground()
      case .cancelled, .cancelledBeforeStart:
        if end == .cancelled { second.resume() }
        await device.advance(by: .seconds(1))
        second.cancel { data in saved.withLock { $0 = data } }
      case .timeout:
        second.resume()
      case .refusedChallenge:
        host.wants(user: "ann", password: "right")
        second.delegate = Refusing()
        second.resume()
      }
      await device.advance(by: .seconds(70))
      #expect(second.state == .completed && second.error != nil)
      let kept = try #require((second.error as? URLError)?.downloadTaskResumeData)
      #expect(kept == data)
      if end == .cancelled || end == .cancelledBeforeStart { #expect(saved.withLock { $0 } == kept) }
      host.recovers()
      session.downloadTask(withResumeData: kept).resume()
      await device.advance(by: .seconds(20))
      #expect(log.lines.last == "complete" && log.file == Data(file))
      #expect(log.lines.contains { $0.hasPrefix("resumed at") })
    }
  }
}

/// A delegate that gives up when it is asked for credentials.
private final class Refusing: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) { completionHandler(.cancelAuthenticationChallenge, nil) }
}
