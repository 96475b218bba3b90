import AudioCore
import ContinuoTesting
import Foundation
import SoundFileDecoding
import TestSupport
import Testing

/// Queues of files in different formats, in virtual time.
@MainActor
@Suite("Queues of sound files", .timeLimit(.minutes(10)))
struct SoundFileQueueTests {
  /// Writes an MP3, a FLAC of 96 kHz and an Opus of one channel.
  private func files(in folder: TemporaryFolder) throws -> [String] {
    let mp3 = Repository.fixtures.appendingPathComponent("cbr-44100-stereo.mp3").path
    let flac = try SoundMaker.write(
      SoundMaker.sound(frames: 300_000, bits: 24), to: folder.file("a.flac"), .flac24, rate: 96_000)
    let opus = try SoundMaker.write(
      SoundMaker.sound(frames: 150_000, channels: 1), to: folder.file("b.opus"), .opus, rate: 48_000,
      channels: 1)
    return [mp3, flac, opus]
  }

  /// The samples of the files, each converted to the format of the first.
  private func expected(_ paths: [String]) throws -> [Float] {
    var format: PCMFormat?
    var all: [Float] = []
    for path in paths {
      let decoder = try #require(try AudioFile(path: path).open {}.proceed())
      let output = format ?? decoder.format
      format = output
      try decoder.setOutputFormat(output)
      all += try samples(of: decoder, channels: output.channelCount)
    }
    return all
  }

  @Test("MP3, FLAC at 96 kHz and Opus in mono follow each other without a gap; no frame and no step is lost")
  func mixed() async throws {
    let folder = try TemporaryFolder()
    let paths = try files(in: folder)
    let expected = try expected(paths)
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      device.playsMusic()
      let player = AVQueuePlayer(items: paths.map { AVPlayerItem(url: URL(fileURLWithPath: $0)) })
      device.watch(player)
      player.play()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(30))
      let isSame = device.heardSamples == expected
      #expect(isSame, "\(device.heardSamples.count) of \(expected.count)")
      #expect(device.heard.silences.isEmpty)
      #expect(
        device.record.only("time").entries.map(\.text) == [
          "times 0.00…0.99 (100 steps)", "times 1.00…1.99 (100 steps)", "times 0.00…3.12 (313 steps)",
          "times 0.00…3.12 (313 steps)",
        ])
      withExtendedLifetime(player) {}
    }
  }

  @Test(
    "A suspension in the middle of each format loses no frame and repeats none", arguments: [0.7, 3.1, 6.2])
  func suspended(seconds: Double) async throws {
    let folder = try TemporaryFolder()
    let paths = try files(in: folder)
    let expected = try expected(paths)
    await withTestDevice { device in
      await device.launch()
      device.playsMusic()
      let player = AVQueuePlayer(items: paths.map { AVPlayerItem(url: URL(fileURLWithPath: $0)) })
      player.play()
      await device.advance(by: .seconds(seconds))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.heardSamples.count < expected.count)
      await device.foreground()
      await device.advance(by: .seconds(30))
      let isSame = device.heardSamples == expected
      #expect(isSame, "\(device.heardSamples.count) of \(expected.count)")
      withExtendedLifetime(player) {}
    }
  }

  enum Trouble: CaseIterable {
    case outputLost, connectionCut, suspended
  }

  @Test(
    "A lost output, a cut connection, a suspension: no frame is lost, and each step comes once",
    arguments: SoundFormat.all, Trouble.allCases)
  func troubles(_ format: SoundFormat, _ trouble: Trouble) async throws {
    let song = try SingleSong(format)
    let output =
      trouble == .outputLost ? TestOutput.vanishing(at: .seconds(1), returning: .seconds(3)) : .ideal
    try await withTestDevice(output: output) { device in
      await device.launch()
      device.playsMusic()
      var item = AVPlayerItem(url: URL(fileURLWithPath: song.path))
      if trouble == .connectionCut {
        let bytes = try song.folder.read("song")
        device.network.serve(.data(bytes, etag: "\"1\""), at: "https://files.test/song")
        device.network.link = .init(bytesPerSecond: bytes.count, latency: .milliseconds(20))
        device.network.host("files.test").closes(after: [bytes.count / 2, bytes.count / 4, 1])
        item = AVPlayerItem(url: try #require(URL(string: "https://files.test/song")))
      }
      let player = AVQueuePlayer(playerItem: item)
      let steps = Steps(player)
      player.play()
      await device.advance(by: .seconds(1.2))
      if trouble == .suspended {
        await device.pressHomeButton()
        await device.advance(by: .seconds(60))
        #expect(device.state == .suspended && device.heardSamples.count < song.samples.count)
        await device.foreground()
      }
      await device.advance(by: .seconds(60))
      let isSame = device.heardSamples == song.samples
      #expect(isSame, "\(device.heardSamples.count) of \(song.samples.count)")
      #expect(steps.values == song.steps)
    }
  }

  @Test("At rate 1.25 the steps are the item's", arguments: SoundFormat.all)
  func rate(_ format: SoundFormat) async throws {
    let song = try SingleSong(format)
    await withTestDevice { device in
      await device.launch()
      let player = AVQueuePlayer(playerItem: AVPlayerItem(url: URL(fileURLWithPath: song.path)))
      let steps = Steps(player)
      player.rate = 1.25
      await device.advance(by: .seconds(1))
      #expect(abs(player.currentTime().seconds - 1.25) < 0.001)
      await device.advance(by: .seconds(5))
      #expect(steps.values == song.steps)
      // Frames are picked: four of five.
      let picked = (0..<song.samples.count).filter { $0 / 2 % 5 != 4 }
      let isSame = device.heardSamples == picked.map { song.samples[$0] }
      #expect(isSame, "\(device.heardSamples.count) of \(picked.count)")
    }
  }

  @Test("A ramp of an audio mix is exact to the frame", arguments: SoundFormat.all)
  func ramp(_ format: SoundFormat) async throws {
    let song = try SingleSong(format)
    await withTestDevice { device in
      await device.launch()
      let parameters = AVMutableAudioMixInputParameters()
      parameters.trackID = 1
      let seconds = { (seconds: Double) in CMTime(seconds: seconds, preferredTimescale: 1_000) }
      parameters.setVolumeRamp(
        fromStartVolume: 1, toEndVolume: 0.25, timeRange: CMTimeRange(start: seconds(0.5), end: seconds(1.25))
      )
      let mix = AVMutableAudioMix()
      mix.inputParameters = [parameters]
      let item = AVPlayerItem(url: URL(fileURLWithPath: song.path))
      item.audioMix = mix
      let player = AVQueuePlayer(playerItem: item)
      player.play()
      await device.advance(by: .seconds(5))
      let heard = device.heardSamples
      #expect(heard.count == song.samples.count)
      let wrong = zip(heard, song.samples).enumerated().first { index, samples in
        let volume = 1 - min(max(Double(index / 2) / Double(song.rate) - 0.5, 0), 0.75)
        return abs(Double(samples.0) - Double(samples.1) * volume) > (volume == 1 ? 0 : 1e-6)
      }
      #expect(wrong == nil)
      withExtendedLifetime(player) {}
    }
  }
}

/// A song of two channels in one format, and what it decodes to.
private struct SingleSong {
  let folder: TemporaryFolder
  let path: String
  let rate: Int
  let frames = 100_000
  let samples: [Float]

  init(_ format: SoundFormat) throws {
    folder = try TemporaryFolder()
    rate = format == .opus ? 48_000 : 44_100
    path = try SoundMaker.write(
      SoundMaker.sound(frames: frames, for: format), to: folder.file("song"), format, rate: rate)
    samples = try VirtualMedia.samples(of: AudioFile(path: path))
    #expect(samples.count == frames * 2)
  }

  /// The hundredths that begin within the song.
  var steps: [Int64] { Array(0...Int64((frames - 1) * 100 / rate)) }
}

/// The hundredths that a player's observer is told.
private final class Steps {
  private let log = Collected<Int64>()
  private let player: AVPlayer
  private let token: Any

  init(_ player: AVPlayer) {
    self.player = player
    token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: .main) {
      [log] time in
      // Jumps and stops are told in other time scales.
      if time.timescale == 100 { log.add(time.value) }
    }
  }

  deinit { player.removeTimeObserver(token) }

  var values: [Int64] { log.all }
}
