import Continuo
import Foundation

// Usage: Client SERVER SINK FILE. Plays half a second of FILE and says where it was heard.
let arguments = CommandLine.arguments
PlaybackEnvironment.current = PlaybackEnvironment(
  output: .pulseAudio(server: arguments[1], sink: arguments[2]))

let player = AVQueuePlayer(items: [AVPlayerItem(url: URL(fileURLWithPath: arguments[3]))])
let clock = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: .main) {
  time in
  guard time.seconds >= 0.5 else { return }
  let sinks = AVAudioSession.sharedInstance().currentRoute.outputs.map(\.portName)
  print("heard \(time.seconds) s on \(sinks.joined(separator: ", "))")
  exit(0)
}
player.play()

DispatchQueue.main.asyncAfter(deadline: .now() + 20) {
  print("nothing was heard for 20 s")
  exit(1)
}
dispatchMain()
