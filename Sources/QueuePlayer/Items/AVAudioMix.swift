public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// How an item's sound is mixed: the volume of its track as it changes with the item's time. Set as
/// `AVPlayerItem.audioMix`. Made as an `AVMutableAudioMix`. Any thread.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; what changes has a lock.

  fileprivate let parameters: Mutex<[AVAudioMixInputParameters]>

  /// A mix that changes nothing.
  public override init() {
    parameters = Mutex([])
    super.init()
  }

  fileprivate init(_ other: AVAudioMix) {
    parameters = Mutex(other.inputParameters.map { AVAudioMixInputParameters($0) })
    super.init()
  }

  /// The parameters, each for a track. Those of a number that the asset does not have are ignored, and of several for
  /// one track all but the last.
  open var inputParameters: [AVAudioMixInputParameters] { parameters.withLock { $0 } }

  /// A mix with these parameters, which does not change.
  open func copy(with zone: NSZone? = nil) -> Any { AVAudioMix(self) }

  /// An `AVMutableAudioMix` with these parameters.
  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    let copy = AVMutableAudioMix()
    copy.inputParameters = inputParameters
    return copy
  }

  /// The volume of a track's sound; nil if it stays as it is.
  func curve(ofTrack id: CMPersistentTrackID) -> VolumeCurve? {
    inputParameters.last { $0.trackID == id }?.curve
  }
}

/// A mix that can be changed. An item keeps the copy that is made when it is set: later changes have no effect on it.
open class AVMutableAudioMix: AVAudioMix, @unchecked Sendable {
  // Unchecked as its superclass.

  /// The parameters, each for a track; see `AVAudioMix.inputParameters`.
  open override var inputParameters: [AVAudioMixInputParameters] {
    get { super.inputParameters }
    set {
      let copies = newValue.map { AVAudioMixInputParameters($0) }
      parameters.withLock { $0 = copies }
    }
  }
}

/// The volume of one track. Made as an `AVMutableAudioMixInputParameters`. Any thread.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; what changes has a lock.

  fileprivate struct State {
    var trackID = kCMPersistentTrackID_Invalid
    var curve: VolumeCurve?
  }

  fileprivate let state: Mutex<State>

  /// Parameters of no track.
  public override init() {
    state = Mutex(State())
    super.init()
  }

  fileprivate init(_ other: AVAudioMixInputParameters) {
    state = Mutex(other.state.withLock { $0 })
    super.init()
  }

  /// The number of the track; 0, of none.
  open var trackID: CMPersistentTrackID { state.withLock { $0.trackID } }

  var curve: VolumeCurve? { state.withLock { $0.curve } }

  /// The same parameters, which do not change.
  open func copy(with zone: NSZone? = nil) -> Any { AVAudioMixInputParameters(self) }

  /// The same parameters, as `AVMutableAudioMixInputParameters`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableAudioMixInputParameters(self) }
}

/// The volume of one track, to be set. It is 1 before the first time at which one is set; a volume that was set, or the
/// end of a ramp, holds until the next one.
///
/// Where ramps overlap, each is left when the next one begins; of two that begin at the same time the one that was set
/// last counts.
open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters, @unchecked Sendable {
  // Unchecked as its superclass.

  /// Parameters of no track.
  public override init() { super.init() }

  fileprivate override init(_ other: AVAudioMixInputParameters) { super.init(other) }

  /// Parameters of `track`; of none for nil.
  public init(track: AVAssetTrack?) {
    super.init()
    if let track { trackID = track.trackID }
  }

  /// The number of the track; 0, of none.
  open override var trackID: CMPersistentTrackID {
    get { super.trackID }
    set { state.withLock { $0.trackID = newValue } }
  }

  /// Sets the volume from `time` on.
  ///
  /// - Parameters:
  ///   - volume: 0 silence, 1 as recorded, linear in amplitude; above that it is louder. Stops the program if it is
  ///     below 0 or not a number.
  ///   - time: of the item. Stops the program if it is not a number.
  open func setVolume(_ volume: Float, at time: CMTime) {
    setVolumeRamp(
      fromStartVolume: volume, toEndVolume: volume, timeRange: CMTimeRange(start: time, duration: .zero))
  }

  /// Lets the volume go evenly from one value to another.
  ///
  /// - Parameters:
  ///   - startVolume: as in `setVolume(_:at:)`.
  ///   - endVolume: as in `setVolume(_:at:)`; holds after the range.
  ///   - timeRange: of the item. Stops the program if its ends are not numbers.
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

extension AVPlayerItem {
  /// How the item's sound is mixed; nil, the default, for as it is: its samples are then the decoder's, bit for bit.
  ///
  /// Kept as a copy. Follows the item's time whatever is seeked and at every rate. Takes effect on what is heard from now
  /// on, at the latest behind what the output holds and does not give back; without a gap. Can be observed.
  nonisolated public var audioMix: AVAudioMix? {
    get {
      observations.note(.audioMix)
      return state.withLock { $0.audioMix }
    }
    set {
      let copy = newValue?.copy() as? AVAudioMix
      let curve = copy?.curve(ofTrack: AVAssetTrack.onlyID)
      set(.audioMix) {
        var mix = copy
        let isChange = state.withLock { state in
          defer { state.volumeCurve = curve }
          swap(&state.audioMix, &mix)
          return state.volumeCurve != curve
        }
        guard isChange, let (core, id) = attachment else { return }
        core.engine.decodeAnew(id)
      }
    }
  }
}
