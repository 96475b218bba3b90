// A program that downloads a file in a background session, for the tests that kill it: a later process goes on.
//
//   DownloadProbe URL TARGET   ends with status 0 when the file is at TARGET, with 1 if it failed
//   DownloadProbe phone download|upload URL FILE [hang] [early] [once] [long] [foreground] [delayed]
//                              an application for a phone, which begins that, and hangs in the background; begins it at
//                              its launch; makes no session when it is launched again; whose session has a long identifier;
//                              loads something in the foreground before;
//                              whose download starts after half a second, and once the application was woken
//   DownloadProbe phone rest FILE
//                              one that begins nothing, and gets what an earlier one has begun

import Continuo
import ContinuoNetworking
import Dispatch
import Synchronization

/// Puts the file where it belongs, and ends the program.
final class Receiver: NSObject, URLSessionDownloadDelegate {
  private let url: URL
  private let target: URL
  /// Whether this process has begun a download.
  private let hasBegun = Atomic(false)

  init(_ url: URL, _ target: URL) {
    self.url = url
    self.target = target
  }

  /// Begins the download, unless this process has begun it already: the end of an earlier process's task may come before
  /// or after the answer to which tasks there are.
  func begin(in session: URLSession) {
    if hasBegun.exchange(true, ordering: .relaxed) { return }
    session.downloadTask(with: url).resume()
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    do {
      try FileManager.default.moveItem(at: location, to: target)
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error {
      print("\(error)")
      exit(1)
    }
    if FileManager.default.fileExists(atPath: target.path) { exit(0) }
    // An earlier process, which was killed then, had this one's file.
    begin(in: session)
  }
}

if CommandLine.arguments.dropFirst().first == "phone" { PhoneDelegate.main() }
guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else { exit(64) }
let receiver = Receiver(url, URL(fileURLWithPath: CommandLine.arguments[2]))
let session = URLSession(
  configuration: .background(withIdentifier: "probe"), delegate: receiver, delegateQueue: nil)
session.getAllTasks { tasks in
  if tasks.isEmpty { receiver.begin(in: session) }
}
dispatchMain()
