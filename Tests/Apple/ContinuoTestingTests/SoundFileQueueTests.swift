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
}
