import Combine
import Continuo
import ContinuoTesting
import Testing

/// What a screen shows of a player, as it is written for Apple's systems.
@MainActor
private final class PlayerModel: ObservableObject {
  @Published private(set) var isPlaying = false
  @Published private(set) var index = 0
  @Published private(set) var seconds = 0
  @Published private(set) var ended = 0
  private var bag: Set<AnyCancellable> = []

  init(player: AVQueuePlayer) {
    let items = player.items()
    player.publisher(for: \.timeControlStatus).map { $0 == .playing }.removeDuplicates()
      .sink { [weak self] in self?.isPlaying = $0 }.store(in: &bag)
    player.publisher(for: \.currentItem).compactMap { $0.flatMap(items.firstIndex) }
      .assign(to: \.index, on: self).store(in: &bag)
    player.periodicTimePublisher(forInterval: CMTime(value: 1, timescale: 1)).map { Int($0.seconds) }
      .removeDuplicates().sink { [weak self] in self?.seconds = $0 }.store(in: &bag)
    NotificationCenter.default.publisher(for: AVPlayerItem.didPlayToEndTimeNotification)
      .sink { [weak self] _ in self?.ended += 1 }.store(in: &bag)
  }
}

@MainActor
@Suite("Combine: a view model", .timeLimit(.minutes(10)))
struct ViewModelTests {
  @Test("an ObservableObject with @Published properties follows a player, in the background too")
  func viewModel() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      await device.launchApplication()
      try AVAudioSession.sharedInstance().setCategory(.playback)
      let items = ["a", "b"].map { AVPlayerItem(url: device.song($0, .seconds(3))) }
      let player = AVQueuePlayer(items: items)
      let model = PlayerModel(player: player)
      var changes = 0
      var shown: [Int] = []
      let subscriptions = [
        model.objectWillChange.sink { changes += 1 },
        model.$index.removeDuplicates().sink { shown.append($0) },
      ]
      #expect(!model.isPlaying && shown == [0])
      player.play()
      await device.advance(by: .milliseconds(2_500))
      #expect(model.isPlaying && model.index == 0 && model.seconds == 2 && model.ended == 0 && changes > 0)
      await device.pressHomeButton()
      await device.advance(by: .milliseconds(2_000))
      #expect(model.isPlaying && model.index == 1 && model.seconds == 1 && model.ended == 1)
      await device.advance(by: .seconds(3))
      #expect(!model.isPlaying && model.ended == 2 && shown == [0, 1])
      withExtendedLifetime(subscriptions) {}
    }
  }
}
