/// How sound is made to pass faster or slower.
package enum TimePitchAlgorithm: Hashable, Sendable {
  /// The pitch is kept; short pieces of sound, which suits voices.
  case timeDomain
  /// The pitch is kept; long pieces of sound, which suits music.
  case spectral
  /// The pitch changes with the speed, as on a tape.
  case varispeed
}

/// How fast an item's sound is to pass, and by what means.
package struct Pace: Hashable, Sendable {
  /// Seconds of the item in a second of sound; above 0.
  package var speed: Double
  /// By what means, where `speed` is not 1.
  package var algorithm: TimePitchAlgorithm

  /// A pace of these properties.
  package init(speed: Double, algorithm: TimePitchAlgorithm) {
    self.speed = speed
    self.algorithm = algorithm
  }
}

/// Why sound cannot be made to pass faster or slower.
package struct TimeStretchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for a person: what is missing, and how to get it.
  package var message: String

  /// An error with that message.
  package init(_ message: String) { self.message = message }

  /// `message`.
  package var description: String { message }
}

/// Makes one stream of frames pass faster or slower. Frame number n that goes in comes out as number n / speed, nearly:
/// no delay stands before the first one. Used by one thread at a time; no call blocks.
package protocol TimeStretcher: AnyObject {
  /// Takes in interleaved frames, which follow those that were put before.
  func put(_ frames: UnsafeBufferPointer<Float>)

  /// Fills `buffer` with interleaved frames from its beginning and returns how many *frames* it wrote: 0 when more has to
  /// be put first.
  func receive(into buffer: UnsafeMutableBufferPointer<Float>) -> Int
}

/// Makes time stretchers.
package protocol TimeStretching: Sendable {
  /// Finds what stretchers need, for example a library that is loaded at the first call; throws if it is not there. Any
  /// thread; reads files at the first call only.
  func prepare() throws(TimeStretchError)

  /// A stretcher for sound of `format`. Decode worker.
  func makeStretcher(format: PCMFormat, pace: Pace) throws(TimeStretchError) -> any TimeStretcher
}
