package import AudioCore
import Synchronization

/// A time-stretching implementation that uses SoundTouch, loaded at the first rate other than 1.
package final class SoundTouchStretching: TimeStretching {
  /// The file name of version 1 of the binary interface, as in Debian's libsoundtouch1.
  package static let libraryName = "libSoundTouchDll.so.1"

  private let name: String
  private let library = Mutex<SoundTouchLibrary?>(nil)

  package init(libraryName: String = SoundTouchStretching.libraryName) { name = libraryName }

  package func prepare() throws(TimeStretchError) { _ = try load() }

  /// Loads the library once. A failed attempt is repeated at the next call, because the library may be
  /// installed by then.
  private func load() throws(TimeStretchError) -> SoundTouchLibrary {
    try library.withLock { library throws(TimeStretchError) in
      if let library { return library }
      let new = try SoundTouchLibrary.open(name)
      library = new
      return new
    }
  }

  package func makeStretcher(format: PCMFormat, pace: Pace) throws(TimeStretchError) -> any TimeStretcher {
    try SoundTouchStretcher(load(), format: format, pace: pace)
  }
}

final class SoundTouchStretcher: TimeStretcher {
  private let handle: SoundTouchHandle
  private let channelCount: Int
  /// The frames of filter delay to drop before the first input frame.
  private var delay = 0

  init(_ library: SoundTouchLibrary, format: PCMFormat, pace: Pace) throws(TimeStretchError) {
    handle = try SoundTouchHandle(library, format: format)
    channelCount = format.channelCount
    switch pace.algorithm {
    case .varispeed:
      handle.setRate(pace.speed)
      // The filter delays by 30 input frames, which are 30 / speed output frames, minus 30 output frames
      // (measured with marks, 2.3.2). At speeds above 1, SoundTouch compensates the delay itself.
      delay = max(0, Int((30 / pace.speed - 30).rounded()))
    case .timeDomain, .spectral:
      // The filter is needed only for other pitches. Without it the sound begins with the exact input frames,
      // so that one speed follows another without a step.
      handle.set(.usesAntiAliasFilter, to: 0)
      // SoundTouch's speed-dependent defaults are for music. With shorter sequences, voices are smeared less.
      if pace.algorithm == .timeDomain {
        handle.set(.sequenceMilliseconds, to: 40)
        handle.set(.seekWindowMilliseconds, to: 15)
        handle.set(.overlapMilliseconds, to: 8)
      }
      handle.setTempo(pace.speed)
    }
  }

  func put(_ frames: UnsafeBufferPointer<Float>) {
    guard let samples = frames.baseAddress else { return }
    handle.put(samples, frames: frames.count / channelCount)
  }

  func receive(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
    guard let samples = buffer.baseAddress else { return 0 }
    while delay > 0 {
      let dropped = handle.receive(into: samples, frames: min(delay, buffer.count / channelCount))
      guard dropped > 0 else { return 0 }
      delay -= dropped
    }
    return handle.receive(into: samples, frames: buffer.count / channelCount)
  }
}
