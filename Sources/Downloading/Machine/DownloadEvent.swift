package import Transfer

/// What happens to a download. After `finished`, `failed` and `stopped` nothing more.
package enum DownloadEvent: Sendable {
  /// The server answers, with any status and from this URL: after redirects another one than was asked for.
  case response(ResponseHead, url: WebURL)
  /// Bytes that were on the disk before it began have turned out to be those of the version that the server has: it goes on behind
  /// them. Before the first `progress`.
  case resumed(at: Int64)
  /// So many bytes are there in all, and so many belong to the whole, if that is known.
  case progress(Int64, total: Int64?)
  /// The connection is gone; the next one begins in so many seconds.
  case retry(after: Double, TransferFailure)
  /// The server has another version now: it begins anew, with nothing.
  case changed
  /// The whole is at its place, safe from a power cut: a file of so many bytes.
  case finished(Int64)
  /// It ended, and does not go on by itself. What came is kept if that was anything; the record tells of it.
  case failed(DownloadFailure, DownloadRecord)
  /// It was stopped. What came is kept if that was anything; the record tells of it.
  case stopped(DownloadRecord)
}

/// Why a download ended without a file.
package enum DownloadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The network, or the server.
  case transfer(TransferFailure)
  /// The disk or a folder does not take the file.
  case file(FileFailure)

  /// A sentence for a person, without credentials, query and fragment.
  package var description: String {
    switch self {
    case .transfer(let failure): failure.message
    case .file(let failure): failure.description
    }
  }
}

/// How long a download tries, and how often it tells.
package struct DownloadPolicy: Hashable, Sendable {
  /// How long it waits for connections and bytes. It is given up when no new byte came for `giveUp` seconds; with infinity
  /// only what cannot pass ends it, such as 404.
  package var times = TransferTimes()
  /// Seconds between two times at which progress is told, at least.
  package var progressInterval = 0.5
  /// Whether a file that has the name already is replaced; else the download fails, at the beginning if it is there then.
  package var replacesFile = false

  /// A person's: given up after a minute without a byte.
  package init() {}
}
