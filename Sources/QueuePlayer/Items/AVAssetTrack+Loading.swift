public import Foundation
public import MediaTime

// A track is there when its asset was read, so everything about it is known at once.

extension AVAssetTrack: AVAsynchronousKeyValueLoading {
  /// `loaded`, whatever the key.
  public func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
    .loaded
  }

  /// Calls `handler` before the return.
  @preconcurrency
  public func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
  ) { handler?() }
}

extension AVAsyncProperty where Root: AVAssetTrack {
  fileprivate convenience init(_ value: @escaping @Sendable (AVAssetTrack) -> Value) {
    self.init(status: { .loaded(value($0)) })
  }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
  /// From zero to the asset's end; of indefinite duration if that is not known.
  public static var timeRange: AVAsyncProperty<Root, CMTimeRange> { AVAsyncProperty(\.timeRange) }
  /// Frames per second; 0 if the duration is not known.
  public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> {
    AVAsyncProperty(\.naturalTimeScale)
  }
  /// Bits per second: the mean, as far as it is known when the file is opened; 0 if it is not known.
  public static var estimatedDataRate: AVAsyncProperty<Root, Float> { AVAsyncProperty(\.estimatedDataRate) }
  /// Whether it is played by default: true.
  public static var isEnabled: AVAsyncProperty<Root, Bool> { AVAsyncProperty(\.isEnabled) }
  /// Whether it can be played: true.
  public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty(\.isPlayable) }
  /// Whether all its data is in the asset's own file: true.
  public static var isSelfContained: AVAsyncProperty<Root, Bool> { AVAsyncProperty(\.isSelfContained) }
  /// What the track is: `audible` alone.
  public static var mediaCharacteristics: AVAsyncProperty<Root, [AVMediaCharacteristic]> {
    AVAsyncProperty { _ in [.audible] }
  }
  /// The volume that it asks for, from 0 to 1: 1.
  public static var preferredVolume: AVAsyncProperty<Root, Float> { AVAsyncProperty(\.preferredVolume) }
  /// Pictures per second: 0.
  public static var nominalFrameRate: AVAsyncProperty<Root, Float> { AVAsyncProperty(\.nominalFrameRate) }
  /// The size of the picture: zero.
  public static var naturalSize: AVAsyncProperty<Root, CGSize> { AVAsyncProperty(\.naturalSize) }
  /// The language: nil, not known.
  public static var languageCode: AVAsyncProperty<Root, String?> { AVAsyncProperty(\.languageCode) }
  /// The language, as BCP 47 writes it: nil, not known.
  public static var extendedLanguageTag: AVAsyncProperty<Root, String?> {
    AVAsyncProperty(\.extendedLanguageTag)
  }
}
