import Continuo
import Dispatch
import Foundation
import Transfer

/// Shows the time of the last update, by the button or by a background fetch.
final class FetchScreen: Screen {
  private var time: Date?
  private lazy var feed = parts.service.map { Feed($0, seconds: parts.fetchSeconds, print: print) }

  override func viewDidLoad() { updateUI() }

  override func buttonTapped() { fetch { _ in self.updateUI() } }

  /// Fetches new content. Without a service that is the current time, which needs no network.
  func fetch(completion: @escaping @MainActor @Sendable (UIBackgroundFetchResult) -> Void) {
    guard let feed else {
      time = parts.now()
      return completion(.newData)
    }
    feed.fetch { [weak self] result in
      if let self, result != .failed { time = parts.now() }
      completion(result)
    }
  }

  /// Updates the label, which exists once the screen was shown.
  func updateUI() {
    guard isLoaded else { return }
    guard let time else { return print("Updated: Not yet updated") }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateStyle = .short
    formatter.timeStyle = .long
    print("Updated: \(formatter.string(from: time))")
  }
}

/// A feed that a server with `ETag` sends only if it has changed.
@MainActor final class Feed {
  private let service: WebService
  private let seconds: Double
  private let print: Printer
  /// The current content and its `ETag`.
  private var tag: String?
  private var content: [UInt8]?

  init(_ service: WebService, seconds: Double, print: @escaping Printer) {
    self.service = service
    self.seconds = seconds
    self.print = print
  }

  /// Requests the feed once. Reports the result on the main thread.
  func fetch(completion: @escaping @MainActor @Sendable (UIBackgroundFetchResult) -> Void) {
    let call: WebCall
    do {
      var request = try service.request("/feed")
      if let tag { request.fields.set("If-None-Match", tag) }
      call = WebCall(request, to: service)
    } catch {
      print("Feed: \(error)")
      return completion(.failed)
    }
    // The call blocks, and the main thread is needed for other work.
    DispatchQueue.global().async { [seconds] in
      let answer: Result<WebCall.Answer, WebCall.Problem>
      do throws(WebCall.Problem) { answer = .success(try call.answer(within: seconds)) } catch {
        answer = .failure(error)
      }
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated { completion(self?.take(answer) ?? .failed) }
      }
    }
  }

  private func take(_ answer: Result<WebCall.Answer, WebCall.Problem>) -> UIBackgroundFetchResult {
    switch answer {
    case .failure(let problem):
      print("Feed: \(problem)")
      return .failed
    case .success(let answer) where answer.status == 200:
      defer { (tag, content) = (answer.tag, answer.body) }
      guard answer.body != content else { break }
      print("Feed: \(answer.body.count) bytes")
      return .newData
    case .success(let answer) where answer.status == 304: break
    case .success(let answer):
      print("Feed: the server answers with \(answer.status)")
      return .failed
    }
    print("Feed: nothing new")
    return .noData
  }
}
