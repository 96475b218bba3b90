public import Foundation
public import MediaTime

// A track exists only after its asset was read, so all its properties are known at once.

extension AVAssetTrack: AVAsynchronousKeyValueLoading {
  /// Returns `loaded` for every key.
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
  /// The range from zero to the asset's end; of indefinite duration if the end is unknown.
  public static var timeRange: AVAsyncProperty<Root, CMTimeRange> { AVAsyncProperty(\.timeRange) }
  /// The timescale in frames per second; 0 if the duration is unknown.
  public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> {
    AVAsyncProperty(\.naturalTimeScale)
  }
  /// The mean bit rate, in bits per second, as estimated when the file is opened; 0 if unknown.
  public static var estimatedDataRate: AVAsyncProperty<Root, Float> { AVAsyncProperty(\.estimatedDataRate) }
  /// Whether the track is played by default. Always true.
  public static var isEnabled: AVAsyncProperty<Root, Bool> { AVAsyncProperty(\.isEnabled) }
  /// Whether the track can be played. Always true.
  public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty(\.isPlayable) }
  /// Whether all data of the track are in the asset's own file. Always true.
  public static var isSelfContained: AVAsyncProperty<Root, Bool> { AVAsyncProperty(\.isSelfContained) }
  /// The characteristics of the track. Always `audible` alone.
  public static var mediaCharacteristics: AVAsyncProperty<Root, [AVMediaCharacteristic]> {
    AVAsyncProperty { _ in [.audible] }
  }
  /// The preferred volume. Always 1.
  public static var preferredVolume: AVAsyncProperty<Root, Float> { AVAsyncProperty(\.preferredVolume) }
  /// The number of pictures per second. Always 0.
  public static var nominalFrameRate: AVAsyncProperty<Root, Float> { AVAsyncProperty(\.nominalFrameRate) }
  /// The size of the picture. Always zero.
  public static var naturalSize: AVAsyncProperty<Root, CGSize> { AVAsyncProperty(\.naturalSize) }
  /// The language. Always nil, for unknown.
  public static var languageCode: AVAsyncProperty<Root, String?> { AVAsyncProperty(\.languageCode) }
  /// The language by BCP 47. Always nil, for unknown.
  public static var extendedLanguageTag: AVAsyncProperty<Root, String?> {
    AVAsyncProperty(\.extendedLanguageTag)
  }
}
