import AVFAudio

/// Sound that goes on in the background.
func useSoundInTheBackground() throws {
  let session = AVAudioSession.sharedInstance()
  try session.setCategory(.playback)
  try session.setActive(true)
}

var outputs: [String] { AVAudioSession.sharedInstance().currentRoute.outputs.map(\.portName) }
