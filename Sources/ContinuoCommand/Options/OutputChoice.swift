/// A value of `--output`.
enum OutputChoice: Hashable, Sendable, CustomStringConvertible {
  /// A PulseAudio server.
  case pulse
  /// A WAV file, written as fast as it can be.
  case wav(path: String)
  /// No device, in real time.
  case simulated

  init(parsing text: String) throws(SyntaxError) {
    if text == "pulse" {
      self = .pulse
    } else if text == "simulated" {
      self = .simulated
    } else if text.hasPrefix("wav:") {
      self = .wav(path: String(text.dropFirst("wav:".count)))
      if text == "wav:" { throw SyntaxError("wav: needs a path, as in wav:all.wav") }
    } else {
      throw SyntaxError("\"\(text)\" is none of pulse, wav:PATH and simulated")
    }
  }

  var description: String {
    switch self {
    case .pulse: "pulse"
    case .wav(let path): "wav:\(path)"
    case .simulated: "simulated"
    }
  }
}

/// What is wrong with something a person typed.
struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for that person, naming the word.
  let description: String

  init(_ description: String) { self.description = description }
}
