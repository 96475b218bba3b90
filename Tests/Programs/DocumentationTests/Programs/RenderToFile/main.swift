import Continuo
import Foundation

// Renders MP3 files to one WAV file: RenderToFile OUTPUT.wav INPUT.mp3 …
let arguments = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
PlaybackEnvironment.current = PlaybackEnvironment(output: .wavFile(at: arguments[0])) { diagnostic in
  guard case .outputUnavailable(let reason, _) = diagnostic else { return }
  print(reason)
  exit(1)
}

let player = AVQueuePlayer(items: arguments.dropFirst().map { AVPlayerItem(url: $0) })
let itemObservation = player.observe(\.currentItem, options: [.initial, .new]) { player, _ in
  guard player.currentItem == nil else { return }
  PlaybackEnvironment.current.closePlayers()  // Completes the file.
  exit(0)
}
player.play()
dispatchMain()
