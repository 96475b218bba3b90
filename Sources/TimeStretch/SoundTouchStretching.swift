package import AudioCore
import Synchronization

/// Makes sound pass faster or slower with SoundTouch, which is loaded at the first rate that is not 1.
package final class SoundTouchStretching: TimeStretching {
  /// Its name in Debian's package libsoundtouch1, and wherever version 1 of its binary interface is installed.
  package static let libraryName = "libSoundTouchDll.so.1"

  private let name: String
  private let library = Mutex<SoundTouchLibrary?>(nil)

  /// Loads nothing.
  package init(libraryName: String = SoundTouchStretching.libraryName) { name = libraryName }

  package func prepare() throws(TimeStretchError) { _ = try load() }

  /// Once it is there it stays; what failed is tried again, since the package may have been installed meanwhile.
  private func load() throws(TimeStretchError) -> SoundTouchLibrary {
    let result = library.withLock { library -> Result<SoundTouchLibrary, TimeStretchError> in
      if let library { return .success(library) }
      do throws(TimeStretchError) {
        let new = try SoundTouchLibrary.open(name)
        library = new
        return .success(new)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  package func makeStretcher(
    format: PCMFormat, pace: Pace
  ) throws(TimeStretchError) -> any TimeStretcher {
    try SoundTouchStretcher(load(), format: format, pace: pace)
  }
}

/// One stream of sound through SoundTouch.
final class SoundTouchStretcher: TimeStretcher {
  private let handle: SoundTouchHandle
  private let channelCount: Int
  /// Frames that still come out before the first one that was put.
  private var delay = 0

  init(_ library: SoundTouchLibrary, format: PCMFormat, pace: Pace) throws(TimeStretchError) {
    handle = try SoundTouchHandle(library, format: format)
    channelCount = format.channelCount
    switch pace.algorithm {
    case .varispeed:
      handle.setRate(pace.speed)
      // The filter is late by 30 frames less 30 of the input, at all speeds (measured with marks, 2.3.2); faster than 1,
      // SoundTouch takes that out itself.
      delay = max(0, Int((30 / pace.speed - 30).rounded()))
    case .timeDomain, .spectral:
      // The filter is for other pitches only. Without it the sound begins with the very frames that are put, so that one
      // speed follows another without a step.
      handle.set(.usesAntiAliasFilter, to: 0)
      // SoundTouch's own choice, which goes with the speed, is for music. Short pieces smear a voice less.
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
