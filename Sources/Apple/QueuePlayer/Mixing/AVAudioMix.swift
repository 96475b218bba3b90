import AudioCore
public import Foundation
public import MediaAssets
public import MediaTime
import Synchronization

/// The volume of an item's track over the item's time, for `AVPlayerItem.audioMix`. Any thread.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  // Unchecked because the class is open; the mutable state has a lock.

  fileprivate let parameters: Mutex<[AVAudioMixInputParameters]>

  /// Creates a mix that changes nothing.
  public override init() {
    parameters = Mutex([])
    super.init()
  }

  fileprivate init(_ other: AVAudioMix) {
    parameters = Mutex(other.inputParameters.map { AVAudioMixInputParameters($0) })
    super.init()
  }

  /// The parameters, one object for each track. Objects for unknown tracks are ignored. Of several objects
  /// for the same track, the last one applies.
  open var inputParameters: [AVAudioMixInputParameters] { parameters.withLock { $0 } }

  /// Returns an immutable mix with these parameters.
  open func copy(with zone: NSZone? = nil) -> Any { AVAudioMix(self) }

  /// Returns an `AVMutableAudioMix` with these parameters.
  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    let copy = AVMutableAudioMix()
    copy.inputParameters = inputParameters
    return copy
  }

  /// Returns the volume curve of a track; nil if the mix sets no volume for it.
  func curve(ofTrack id: CMPersistentTrackID) -> VolumeCurve? {
    inputParameters.last { $0.trackID == id }?.curve
  }
}

/// A mutable mix. An item keeps a copy of the mix, so later changes of the mix have no effect on the item.
open class AVMutableAudioMix: AVAudioMix, @unchecked Sendable {
  // Unchecked for the same reason as the superclass.

  /// The parameters, each for a track; see `AVAudioMix.inputParameters`.
  open override var inputParameters: [AVAudioMixInputParameters] {
    get { super.inputParameters }
    set {
      let copies = newValue.map { AVAudioMixInputParameters($0) }
      parameters.withLock { $0 = copies }
    }
  }
}

/// The volume of one track. Created as an `AVMutableAudioMixInputParameters`. Any thread.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  // Unchecked because the class is open; the mutable state has a lock.

  fileprivate struct State {
    var trackID = kCMPersistentTrackID_Invalid
    var curve: VolumeCurve?
  }

  fileprivate let state: Mutex<State>

  /// Creates parameters of no track.
  public override init() {
    state = Mutex(State())
    super.init()
  }

  fileprivate init(_ other: AVAudioMixInputParameters) {
    state = Mutex(other.state.withLock { $0 })
    super.init()
  }

  /// The number of the track; 0 for none.
  open var trackID: CMPersistentTrackID { state.withLock { $0.trackID } }

  var curve: VolumeCurve? { state.withLock { $0.curve } }

  /// Returns an immutable copy of the parameters.
  open func copy(with zone: NSZone? = nil) -> Any { AVAudioMixInputParameters(self) }

  /// Returns a mutable copy, an `AVMutableAudioMixInputParameters`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableAudioMixInputParameters(self) }
}

/// The mutable volume of one track. Before the first volume or ramp, the volume is 1. A volume, or the end
/// volume of a ramp, applies until the next volume or ramp starts.
///
/// A ramp ends early when the next volume or ramp starts. Of two ramps with the same start, the one set last
/// applies.
open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters, @unchecked Sendable {
  // Unchecked for the same reason as the superclass.

  /// Creates parameters of no track.
  public override init() { super.init() }

  fileprivate override init(_ other: AVAudioMixInputParameters) { super.init(other) }

  /// Creates parameters of `track`; of no track for nil.
  public init(track: AVAssetTrack?) {
    super.init()
    if let track { trackID = track.trackID }
  }

  /// The number of the track; 0 for none.
  open override var trackID: CMPersistentTrackID {
    get { super.trackID }
    set { state.withLock { $0.trackID = newValue } }
  }

  /// Sets the volume from `time` on.
  ///
  /// - Parameters:
  ///   - volume: linear in amplitude; 0 is silence, 1 as recorded, and values above 1 amplify. Stops the
  ///     program if it is below 0 or not finite.
  ///   - time: a time in the item. Stops the program if it is not numeric.
  open func setVolume(_ volume: Float, at time: CMTime) {
    setVolumeRamp(
      fromStartVolume: volume, toEndVolume: volume, timeRange: CMTimeRange(start: time, duration: .zero))
  }

  /// Changes the volume linearly from one value to another over a time range.
  ///
  /// - Parameters:
  ///   - startVolume: a volume as in `setVolume(_:at:)`.
  ///   - endVolume: a volume as in `setVolume(_:at:)`; applies after the range.
  ///   - timeRange: a range of the item. Stops the program if its start or duration is not numeric, or the
  ///     duration is negative.
  open func setVolumeRamp(
    fromStartVolume startVolume: Float, toEndVolume endVolume: Float, timeRange: CMTimeRange
  ) {
    precondition(
      startVolume >= 0 && endVolume >= 0 && startVolume.isFinite && endVolume.isFinite,
      "The volume of an audio mix must be a number from 0.")
    precondition(
      timeRange.start.isNumeric && timeRange.duration.isNumeric && timeRange.duration >= .zero,
      "The times of an audio mix must be numbers.")
    let ramp = VolumeCurve.Ramp(
      start: timeRange.start.seconds, end: timeRange.end.seconds, from: startVolume, to: endVolume)
    state.withLock { state in
      var curve = state.curve ?? VolumeCurve()
      curve.add(ramp)
      state.curve = curve
    }
  }
}

/// An algorithm that changes the speed of an item's audio at rates other than 1.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the algorithm.
  public let rawValue: String
  /// Creates an algorithm from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Works like `timeDomain`. Apple's algorithm, in contrast, rounds the rate to one of a few values.
  public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
  /// Preserves the pitch; rates from 1/32 to 32. Suits voices. The default.
  public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
  /// Preserves the pitch; rates from 1/32 to 32. Suits music, because it uses longer segments than
  /// `timeDomain`. Unlike Apple's algorithm, it does not work in the frequency domain.
  public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
  /// Changes the pitch with the rate, as a tape does; rates from 1/32 to 32.
  public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")

  var algorithm: TimePitchAlgorithm {
    switch self {
    case .varispeed: .varispeed
    case .spectral: .spectral
    default: .timeDomain
    }
  }
}
