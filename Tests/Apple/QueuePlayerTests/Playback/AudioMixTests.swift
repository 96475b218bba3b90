import AudioOutput
import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Testing

@Suite("An audio mix")
struct AudioMixTests {
  let stage = VirtualStage(recordsSound: true)

  private func time(_ seconds: Double) -> CMTime { CMTime(seconds: seconds, preferredTimescale: 44_100) }

  private func mix(
    track: CMPersistentTrackID = 1, _ set: (AVMutableAudioMixInputParameters) -> Void
  ) -> AVMutableAudioMix {
    let parameters = AVMutableAudioMixInputParameters()
    parameters.trackID = track
    set(parameters)
    let mix = AVMutableAudioMix()
    mix.inputParameters = [parameters]
    return mix
  }

  /// Where frames do not have the volume that they should have.
  private func wrong(_ heard: [Float], from first: Int = 0, volume: (Double) -> Double) -> [Int] {
    heard.indices.filter { index in
      let frame = first + index
      let volume = volume(Double(frame) / 44_100)
      guard volume != 1 else { return heard[index] != stage.sample(frame) }
      return abs(Double(heard[index]) - Double(stage.sample(frame)) * volume) > 1e-7
    }
  }

  @Test("Volumes and ramps are exact to the frame; where the volume is 1 the samples are the decoder's")
  func exact() async throws {
    let item = stage.item("a", seconds: 2)
    let track = try #require(try await item.asset.loadTracks(withMediaType: .audio).first)
    let parameters = AVMutableAudioMixInputParameters(track: track)
    #expect(parameters.trackID == track.trackID)
    parameters.setVolumeRamp(
      fromStartVolume: 1, toEndVolume: 0.25, timeRange: CMTimeRange(start: time(0.5), end: time(1.25)))
    parameters.setVolume(0.5, at: time(0.25))
    parameters.setVolume(1, at: time(1.75))
    let mix = AVMutableAudioMix()
    mix.inputParameters = [parameters]
    item.audioMix = mix
    let player = stage.player(item)
    player.play()
    stage.pass(3)
    #expect(stage.heard.count == 88_200)
    let wrong = wrong(stage.heard) { time in
      switch time {
      case ..<0.25: 1
      case ..<0.5: 0.5
      case ..<1.25: 1 - (time - 0.5)
      case ..<1.75: 0.25
      default: 1
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(3))")
  }

  @Test("Counts by the item's time: after a seek, in another item, with another sample rate, at another rate")
  func itemTime() throws {
    let half = mix { $0.setVolume(0.5, at: time(1)) }
    let items = [
      stage.item("a", seconds: 2), stage.item("b", seconds: 2, sampleRate: 22_050),
      stage.item("c", seconds: 2),
    ]
    for item in items { item.audioMix = half }
    let player = stage.queuePlayer(items)
    player.seek(to: time(0.75))
    player.play()
    stage.pass(3.5)
    let before = stage.heard
    let halved = { (time: Double) in time < 1 ? 1 : 0.5 }
    #expect(wrong(Array(before[..<55_125]), from: 33_075, volume: halved).isEmpty)
    #expect(wrong(Array(before[55_125..<143_325]), volume: halved).isEmpty)
    player.rate = 2
    stage.pass(1)
    // The medium counts its frames: where its volume is halved the count drops from 44 100 to the half.
    let third = stage.heard.dropFirst(143_325).map { Double($0) * 16_777_216 }
    let drop = try #require(third.indices.dropFirst().first { third[$0] < third[$0 - 1] - 1000 })
    #expect(abs(third[drop - 1] - 44_100) < 500 && abs(third[drop] - 22_050) < 500)
  }

  @Test("Set while it plays it takes effect at once, without a gap; nil takes it back")
  func whilePlaying() throws {
    let item = stage.item("a", seconds: 4)
    let player = stage.player(item)
    let told = Log<Bool>()
    let observation = item.observe(\.audioMix) { item, _ in told.add(item.audioMix != nil) }
    player.play()
    stage.pass(1)
    let quiet = mix { $0.setVolume(0.5, at: .zero) }
    item.audioMix = quiet
    stage.pass(1)
    // Of no effect: the item has a copy.
    quiet.inputParameters = []
    stage.pass(0.5)
    item.audioMix = nil
    stage.pass(2)
    #expect(told.entries == [true, false])
    let heard = stage.heard
    #expect(stage.output.recording.runs.count == 1 && heard.count == 4 * 44_100)
    let changes = heard.indices.dropFirst().filter { index in
      (heard[index] == stage.sample(index)) != (heard[index - 1] == stage.sample(index - 1))
    }
    #expect(changes.count == 2)
    let (first, last) = (try #require(changes.first), try #require(changes.last))
    #expect(wrong(Array(heard[first..<last]), from: first) { _ in 0.5 }.isEmpty)
    #expect((44_100..<48_510).contains(first) && (110_250..<114_660).contains(last))
    withExtendedLifetime(observation) {}
  }

  @Test("Parameters of no track, or of another, change nothing; of several for one track the last counts")
  func tracks() throws {
    let none = mix(track: kCMPersistentTrackID_Invalid) { $0.setVolume(0, at: .zero) }
    let other = mix(track: 2) { $0.setVolume(0, at: .zero) }
    let (first, last) = (mix { $0.setVolume(0, at: .zero) }, mix { $0.setVolume(0.5, at: .zero) })
    let all = AVMutableAudioMix()
    all.inputParameters = [none, other, first, last].flatMap(\.inputParameters)
    let items = [stage.item("a"), stage.item("b"), stage.item("c")]
    items[0].audioMix = none
    items[1].audioMix = other
    items[2].audioMix = all
    let player = stage.queuePlayer(items)
    player.play()
    stage.pass(4)
    let heard = stage.heard
    #expect(wrong(Array(heard[..<44_100])) { _ in 1 }.isEmpty)
    #expect(wrong(Array(heard[44_100..<88_200])) { _ in 1 }.isEmpty)
    #expect(wrong(Array(heard[88_200...])) { _ in 0.5 }.isEmpty)
  }

  @Test("Copies of mixes, parameters and items have the same volumes")
  func copies() throws {
    let original = mix { $0.setVolume(0.5, at: .zero) }
    let copy = try #require((original.copy() as? AVAudioMix)?.mutableCopy() as? AVMutableAudioMix)
    let parameters = try #require(
      copy.inputParameters.first?.mutableCopy() as? AVMutableAudioMixInputParameters)
    #expect(parameters.trackID == 1)
    original.inputParameters = []
    let item = stage.item("a")
    item.audioMix = copy
    let player = stage.player(try #require(item.copy() as? AVPlayerItem))
    player.play()
    stage.pass(2)
    #expect(wrong(stage.heard) { _ in 0.5 }.isEmpty && stage.heard.count == 44_100)
  }
}
