import Glibc
import SystemSupport
package import Transfer

/// An event of a download. `finished`, `failed` and `stopped` are final.
package enum DownloadEvent: Sendable {
  /// A request is sent to continue after this number of stored bytes; 0 for the whole content.
  case requested(after: Int64)
  /// The server responded, with any status. `url` is the URL after redirects.
  case response(ResponseHead, url: WebURL)
  /// The bytes of an earlier download belong to the server's version, so the download resumes at this offset.
  /// Delivered before any `progress`.
  case resumed(at: Int64)
  /// The number of stored bytes, and the total length in bytes if known.
  case progress(Int64, total: Int64?)
  /// The attempt has failed; the next one starts after this many seconds.
  case retry(after: Double, TransferFailure)
  /// The server has another version, so the download restarts from 0.
  case changed
  /// The file is complete, has its name, and survives a power cut. The length is in bytes.
  case finished(Int64)
  /// The download ended and does not retry. Received bytes, if any, are kept as the record describes.
  case failed(DownloadFailure, DownloadRecord)
  /// The download was stopped. Received bytes, if any, are kept as the record describes.
  case stopped(DownloadRecord)
}

package enum DownloadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case transfer(TransferFailure)
  case file(FileFailure)

  /// A sentence for users, without credentials, query and fragment.
  package var description: String {
    switch self {
    case .transfer(let failure): failure.message
    case .file(let failure): failure.description
    }
  }
}

package enum FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case exists(String)
  /// Another download to the file is in progress, in any process.
  case busy(String)
  /// A partial file of another URL exists, or one of unknown origin (`url` is nil). The file is not modified.
  case foreign(String, url: String?)
  /// The system refused the operation `doing` on the file, with this `errno`.
  case system(doing: String, String, code: Int32)

  /// Returns the failure for the current `errno`.
  static func current(_ doing: String, _ path: String) -> FileFailure {
    .system(doing: doing, path, code: errno)
  }

  package var description: String {
    switch self {
    case .exists(let path): "\(path) is there already"
    case .busy(let path): "\(path) is being downloaded already"
    case .foreign(let path, let url?): "\(path) is there already, from \(url)"
    case .foreign(let path, nil): "\(path) is there already, and no record beside it tells where it is from"
    case .system("write", let path, ENOSPC): "cannot write \(path): the disk is full"
    case .system(let doing, let path, let code): "cannot \(doing) \(path): \(SystemError.message(code))"
    }
  }
}

/// The timeouts of a download, the interval of its progress events, and its overwrite rule.
package struct DownloadPolicy: Hashable, Sendable {
  /// The timeouts. `giveUp` counts from the last progress; if infinite, temporary failures do not end the
  /// download.
  package var times = TransferTimes()
  /// The minimum interval between progress events, in seconds, except for those at the end and after
  /// `changed`.
  package var progressInterval = 0.5
  /// Whether to replace an existing file. If false, the download fails if the target exists, at its start or
  /// at its end.
  package var replacesFile = false

  package init() {}
}
