package import AudioCore
package import AudioSession
import Foundation
import Transfer

/// The media of an asset, for the engine. The source of a file, with its path, is created when it is opened.
package struct AssetSource: MediaSource {
  private let loader: AssetLoader
  private let makeSource: @Sendable (URL, Bool) -> any MediaSource
  /// The remote medium, retained by this source; nil for files.
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
      remote = FailedSource(
        DecodingError(unsupported: loader.url, isMalformed: environment.makeRemote != nil))
    }
  }

  private var source: any MediaSource { remote ?? makeSource(loader.url, loader.isPrecise) }

  package var isRemote: Bool { remote?.isRemote ?? false }

  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    source.open(whenBytesCome: callback)
  }

  package func readTag() throws(DecodingError) -> MediaTag { try source.readTag() }
}

/// The media of an item that cannot be opened or failed before. Fails even if the file is readable now.
package struct FailedSource: MediaSource {
  private let error: DecodingError

  package init() { self.init(DecodingError(reason: .unreadable, message: "failed before")) }

  init(_ error: DecodingError) { self.error = error }

  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in throw error }
  }

  package func readTag() throws(DecodingError) -> MediaTag { throw error }
}

extension DecodingError {
  /// Creates the error for a URL that cannot be played.
  ///
  /// - Parameter isMalformed: whether remote URLs are supported, so that an http or https URL must be
  ///   malformed.
  fileprivate init(unsupported url: URL, isMalformed: Bool) {
    let scheme = url.scheme?.lowercased()
    let message =
      switch (scheme, isMalformed) {
      case ("http"?, true), ("https"?, true):
        "The URL is malformed, or longer than \(NetworkLimits.url) bytes."
      case (_, true): "Only file, http and https URLs can be played, not \(scheme ?? "this kind")."
      case (_, false): "Only file URLs can be played here, not \(scheme ?? "this kind")."
      }
    self.init(reason: .unsupported, message: message)
  }
}
