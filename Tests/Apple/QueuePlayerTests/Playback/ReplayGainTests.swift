import AudioCore
import AudioOutput
import AudioSession
import MediaAssets
import MediaTime
import Testing

@testable import QueuePlayer

@Suite("Replay gain")
struct ReplayGainTests {
  let stage = VirtualStage(recordsSound: true)

  private func item(_ name: String, _ gain: ReplayGain = ReplayGain(), seconds: Double = 1) -> AVPlayerItem {
    var source = RampSource(frames: Int64(seconds * 44_100))
    source.replayGain = gain
    return item(name, source)
  }

  private func item(_ name: String, _ source: RampSource) -> AVPlayerItem {
    AVPlayerItem(asset: AVURLAsset(url: stage.library.add(name, source), environment: stage.environment))
  }

  private let loud = ReplayGain(track: .init(gain: -20), album: .init(gain: 20, peak: 0.5))

  @Test("Each item has the factor of its own tags, without a gap; without tags it is as it is")
  func items() throws {
    let player = stage.queuePlayer([item("a", loud), item("b"), item("c", loud)])
    player.replayGain = .track
    player.play()
    stage.pass(4)
    let heard = stage.heard
    let factors = (0..<3).map { item in
      Set((1..<44_100).map { heard[item * 44_100 + $0] == stage.sample($0) * [0.1, 1, 0.1][item] })
    }
    #expect(heard.count == 3 * 44_100 && factors == [[true], [true], [true]])
    #expect(stage.output.recording.runs.count == 1)
  }

  @Test("Off, the samples are the decoder's and its tags are not read")
  func off() {
    let reads = Log<Void>()
    var source = RampSource(frames: 44_100)
    source.replayGain = loud
    source.onReplayGain = { reads.add(()) }
    let player = stage.player(item("a", source))
    player.play()
    stage.pass(2)
    #expect(stage.heard == (0..<44_100).map(stage.sample) && reads.entries.isEmpty)
  }

  @Test("Set while it plays it takes effect at once, also on what follows, and the tags are read once")
  func whilePlaying() throws {
    let reads = Log<Void>()
    var source = RampSource(frames: 4 * 44_100)
    source.replayGain = loud
    source.onReplayGain = { reads.add(()) }
    let player = stage.queuePlayer([item("a", source), item("b", loud)])
    player.play()
    stage.pass(1)
    player.replayGain = .track
    stage.pass(1)
    player.replayGain = .album
    player.replayGain = .album
    stage.pass(1.9)
    // What follows is decoded by now.
    player.replayGain = nil
    stage.pass(2)
    let heard = stage.heard
    let factors = heard.indices.dropFirst().map { index -> Float in
      let sample = stage.sample(index < 176_400 ? index : index - 176_400)
      return sample == 0 || heard[index] == sample ? 1 : heard[index] == sample * 2 ? 2 : 0.1
    }
    let changes = factors.indices.dropFirst().filter { factors[$0] != factors[$0 - 1] }
    #expect(heard.count == 5 * 44_100 && stage.output.recording.runs.count == 1)
    #expect(changes.map { factors[$0] } == [0.1, 2, 1] && reads.entries.count == 1)
    // Silence has no factor, so the list begins with the second frame.
    for (change, frame) in zip(changes, [44_100, 88_200, 171_990]) {
      #expect((0..<4410).contains(change + 1 - frame))
    }
  }

  @Test("Figures that do not count are reported once for each item")
  func ignored() {
    var absurd = ReplayGain()
    absurd.ignored = ["REPLAYGAIN_TRACK_GAIN -99999999", "REPLAYGAIN_TRACK_PEAK 17"]
    let player = stage.queuePlayer([item("a", absurd, seconds: 2), item("b")])
    player.replayGain = .track
    player.play()
    stage.pass(1)
    player.replayGain = .album
    stage.pass(3)
    #expect(stage.heard.prefix(44_100).elementsEqual((0..<44_100).map(stage.sample)))
    let words = stage.diagnostics.entries.compactMap { entry -> String? in
      if case .replayGainIgnored(let text) = entry { text } else { nil }
    }
    #expect(words == ["a: ignored: REPLAYGAIN_TRACK_GAIN -99999999, REPLAYGAIN_TRACK_PEAK 17"])
  }

  @Test("Together with a mix")
  func mixed() {
    let parameters = AVMutableAudioMixInputParameters()
    parameters.trackID = 1
    parameters.setVolume(0.5, at: .zero)
    let mix = AVMutableAudioMix()
    mix.inputParameters = [parameters]
    let item = item("a", loud)
    item.audioMix = mix
    let player = stage.player(item)
    player.replayGain = .album
    player.play()
    stage.pass(2)
    #expect(stage.heard == (0..<44_100).map(stage.sample))
  }

  @Test("A track's data rate is what the decoder says")
  func dataRate() async throws {
    var source = RampSource(frames: 44_100)
    source.bitRate = 128_000
    let item = item("a", source)
    #expect(try await item.asset.load(.tracks).map(\.estimatedDataRate) == [128_000])
    let player = stage.player(item)
    stage.pass(0.1)
    #expect(item.tracks.map { $0.assetTrack?.estimatedDataRate } == [128_000])
    withExtendedLifetime(player) {}
  }
}
