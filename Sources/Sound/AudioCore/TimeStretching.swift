/// A method to change the playback speed.
package enum TimePitchAlgorithm: Hashable, Sendable {
  /// Preserves the pitch with short segments, which suits voices.
  case timeDomain
  /// Preserves the pitch with long segments, which suits music.
  case spectral
  /// Changes the pitch with the speed, as a tape does.
  case varispeed
}

/// The playback speed of an item and the method to achieve it.
package struct Pace: Hashable, Sendable {
  /// The number of seconds of the item in a second of output; above 0.
  package var speed: Double
  /// The method, used if `speed` is not 1.
  package var algorithm: TimePitchAlgorithm

  package init(speed: Double, algorithm: TimePitchAlgorithm) {
    self.speed = speed
    self.algorithm = algorithm
  }
}

package struct TimeStretchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A text for people: the reason, for example the missing library and its package.
  package var message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}

/// Changes the speed of one stream of frames. Input frame n becomes approximately output frame n / speed, and
/// the output starts without a delay. Used by one thread at a time; no call blocks.
package protocol TimeStretcher: AnyObject {
  func put(_ frames: UnsafeBufferPointer<Float>)

  /// Writes at most as many interleaved frames to `buffer` as fit; returns their number, 0 if more input is needed
  /// first.
  func receive(into buffer: UnsafeMutableBufferPointer<Float>) -> Int
}

package protocol TimeStretching: Sendable {
  /// Loads the resources of stretchers, for example a library at the first call; throws if they do not exist.
  /// May be called on any thread. Reads no files after a call has succeeded.
  func prepare() throws(TimeStretchError)

  /// Returns a stretcher for audio of `format`. Called on the decode worker.
  func makeStretcher(format: PCMFormat, pace: Pace) throws(TimeStretchError) -> any TimeStretcher
}
