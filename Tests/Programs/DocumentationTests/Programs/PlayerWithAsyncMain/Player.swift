import Continuo
import Foundation

@main
struct Player {
  static func main() async throws {
    let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    for file in files {
      let seconds = try await AVURLAsset(url: file).load(.duration).seconds
      print("\(file.lastPathComponent): \(seconds) s")
    }

    let player = AVQueuePlayer(items: files.map { AVPlayerItem(url: $0) })
    let (items, continuation) = AsyncStream<AVPlayerItem?>.makeStream()
    let observation = player.observe(\.currentItem, options: [.initial, .new]) { player, _ in
      continuation.yield(player.currentItem)
    }
    player.play()
    for await item in items {
      guard let song = item?.asset as? AVURLAsset else { break }
      print(song.url.lastPathComponent)
    }
    observation.invalidate()
  }
}
