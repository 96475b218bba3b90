import Continuo
import Foundation

// Plays the MP3 files that are named on the command line, one after the other.
let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
let items = files.map { AVPlayerItem(url: $0) }
let player = AVQueuePlayer(items: items)

// An item that cannot be played leaves the queue, and its error says why.
let failures = items.map { item in
  item.observe(\.status) { item, _ in
    if let error = item.error { print("\(error.localizedDescription)") }
  }
}
// Called at once, and at each change: with nil behind the last item.
let itemObservation = player.observe(\.currentItem, options: [.initial, .new]) { player, _ in
  guard let song = player.currentItem?.asset as? AVURLAsset else { exit(0) }
  print(song.url.lastPathComponent)
}
// Every tenth of a second of what is heard.
let timeObserver = player.addPeriodicTimeObserver(
  forInterval: CMTime(value: 1, timescale: 10), queue: .main
) { time in
  print(time.seconds)
}

player.play()
dispatchMain()
