enum OutputChoice: Hashable, Sendable, CustomStringConvertible {
  case pulse
  /// A WAV file, written as fast as possible.
  case wav(path: String)
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
      throw SyntaxError("unknown output \"\(text)\": use pulse, wav:PATH or simulated")
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
