package import AudioCore
package import AudioSession
import Foundation
import Transfer

/// The media of an asset, for the engine. The source of a file, which contains the path, is created only when
/// the file is opened.
package struct AssetSource: MediaSource {
  private let loader: AssetLoader
  private let makeSource: @Sendable (URL, Bool) -> any MediaSource
  /// The remote medium, retained by this source, or a source that fails; nil for files.
  private let remote: (any MediaSource)?

  package init(_ loader: AssetLoader, in environment: PlaybackEnvironment) {
    self.loader = loader
    makeSource = environment.makeSource
    if loader.url.isFileURL {
      remote = nil
    } else if let shared = loader.shared, let makeRemote = environment.makeRemote,
      loader.resourceLoader.map({ $0.delegate != nil }) ?? true
    {
      remote = shared.source(makeRemote)
    } else {
      let scheme = loader.url.scheme?.lowercased() ?? "this kind"
      let message =
        if environment.makeRemote == nil {
          "Only file URLs can be played here, not \(scheme)."
        } else if ["http", "https"].contains(scheme) {
          "The URL is malformed, or longer than \(NetworkLimits.url) bytes."
        } else {
          "Only file, http and https URLs can be played, not \(scheme)."
        }
      remote = FailedSource(DecodingError(reason: .unsupported, message: message))
    }
  }

  private var source: any MediaSource { remote ?? makeSource(loader.url, loader.isPrecise) }

  package var isRemote: Bool { remote?.isRemote ?? false }

  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    source.open(whenBytesCome: callback)
  }

  package func readTag() throws(DecodingError) -> MediaTag { try source.readTag() }
}

/// The source of an item that cannot be opened or has failed before. Opening it fails even if the file is
/// readable now.
package struct FailedSource: MediaSource {
  private let error: DecodingError

  package init() { self.init(DecodingError(reason: .unreadable, message: "failed before")) }

  init(_ error: DecodingError) { self.error = error }

  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in throw error }
  }

  package func readTag() throws(DecodingError) -> MediaTag { throw error }
}
