import Foundation
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// Outputs that need no server.
  @Suite struct FileOutputTests {
    @Test func waveFileIsWhatMPG123Decodes() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [Song(duration: 3, seed: 1), Song(duration: 0.777, seed: 2), Song(duration: 2, seed: 3)]
      var paths: [String] = []
      for song in songs { paths.append(try await song.write(into: studio.folder)) }
      let player = try studio.play(paths + ["--output", "wav:\(studio.folder)/all.wav"])
      #expect(try await player.ended().status == 0)
      expectSame(try Sound(waveFile: "\(studio.folder)/all.wav"), try await Sound.mpg123(paths))
      for (index, song) in songs.enumerated() {
        #expect(player.events.steps(of: index).map(\.value) == song.steps, "item \(index)")
      }
    }

    @Test("Nothing but sound is in the sound") func soundOnStandardOutput() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.5).write(into: studio.folder)
      let written = "\(studio.folder)/piped.wav"
      let program = try await output(
        of: [
          "sh", "-c", "\"$0\" play --no-socket --output wav:- \"$1\" > \"$2\"", product("continuo"), path,
          written,
        ])
      #expect(program.isEmpty)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: written))
      let frames = try await Sound.mpg123([path]).frames.count
      // The header is less than 100 bytes; a frame is two samples of four.
      #expect(bytes.count - frames * 8 < 100, "\(bytes.count) \(frames)")
      #expect(bytes.range(of: Data("1/1".utf8)) == nil)
    }

    /// Each with its own, the clipping prevented; what has none is as it is.
    @Test(arguments: [nil, "off", "track", "album", "auto"])
    func songsGetTheLevelOfTheirTags(mode: String?) async throws {
      let studio = try Studio()
      defer { studio.close() }
      func field(_ name: String, _ value: String) -> [UInt8] {
        let content = [0] + Array(name.utf8) + [0] + Array(value.utf8)
        return Array("TXXX".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
      }
      let fields =
        field("REPLAYGAIN_TRACK_GAIN", "-6.02 dB") + field("REPLAYGAIN_TRACK_PEAK", "0.9")
        + field("replaygain_album_gain", "+20 dB") + field("replaygain_album_peak", "0.4")
      let tag =
        Array("ID3".utf8) + [3, 0, 0, 0, 0, UInt8(fields.count >> 7), UInt8(fields.count & 127)] + fields
      let plain = try await Song(duration: 1, seed: 1).write(into: studio.folder)
      let tagged = try studio.write(
        tag + bytes(try await Song(duration: 1, seed: 2).write(into: studio.folder)), to: "tagged.mp3")
      let player = try studio.play(
        [plain, tagged, plain, "--output", "wav:\(studio.folder)/all.wav"]
          + (mode.map { ["--replay-gain", $0] } ?? []))
      #expect(try await player.ended().status == 0)
      let factor: Float =
        switch mode {
        case "track": Float(pow(10, -6.02 / 20))
        case "album", "auto": 2.5
        default: 1
        }
      var expected = try await Sound.mpg123([plain, tagged, plain])
      for index in 44_100..<88_200 {
        let frame = expected.frames[index]
        let (left, right) = (UInt32(truncatingIfNeeded: frame), UInt32(truncatingIfNeeded: frame >> 32))
        let scaled = [left, right].map { UInt64((Float(bitPattern: $0) * factor).bitPattern) }
        expected.frames[index] = scaled[0] | scaled[1] << 32
      }
      expectSame(try Sound(waveFile: "\(studio.folder)/all.wav"), expected)
    }

    /// The player is items ahead of its observers all the time.
    @Test func manyShortItemsAreAllSeen() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 0.05, bitRate: 64)
      let path = try await song.write(into: studio.folder)
      let bad = try studio.write("Not music".utf8, to: "bad.mp3")
      let queue = (0..<120).map { $0 % 10 == 7 ? bad : path }
      let player = try studio.play(queue + ["--output", "wav:\(studio.folder)/all.wav"])
      #expect(try await player.ended().status == 1)
      let reference = try await Sound.mpg123([path])
      let expected = Sound(format: .float32, frames: (0..<108).flatMap { _ in reference.frames })
      expectSame(try Sound(waveFile: "\(studio.folder)/all.wav"), expected)
      let events = player.events.events
      let good = queue.indices.filter { queue[$0] == path }
      #expect(
        events.compactMap { if case .didPlayToEndTime(let index) = $0 { index } else { nil } } == good)
      #expect(
        events.compactMap { if case .failed(let index, _, _) = $0 { index } else { nil } }
          == queue.indices.filter { queue[$0] == bad })
      // A bad one may be current too, for as long as it takes to find out.
      #expect(
        events.compactMap { if case .currentItem(let index?, _) = $0 { index } else { nil } }
          .filter(good.contains) == good)
      for index in good {
        #expect(player.events.steps(of: index).map(\.value) == song.steps, "item \(index)")
      }
    }

    @Test func simulatedDeviceNeedsNoServer() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 1)
      let path = try await song.write(into: studio.folder)
      let player = try studio.play([path, "--output", "simulated", "--no-socket"])
      try await player.reached(50)
      #expect(studio.leftovers().isEmpty)
      #expect(try await player.ended().status == 0)
      let steps = player.events.steps(of: 0)
      #expect(steps.map(\.value) == song.steps)
      // In real time; the first step may be late.
      let seconds = try #require(steps.last).host - steps[0].host
      #expect(seconds >= 0.5)
      #expect(player.log.value.errors.isEmpty)
    }

    /// Whatever a file is called and whoever names it: it is found out before anything is opened for writing.
    @Test func nothingThatIsReadIsOverwritten() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let folder = studio.folder
      let song = try await Song(duration: 0.2).write(into: folder)
      let inFolder = try studio.write(try bytes(song), to: "Music/in a folder.mp3")
      let list = try studio.write("\(song)\n".utf8, to: "list.m3u")
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/link.wav", withDestinationPath: song)
      try FileManager.default.linkItem(atPath: song, toPath: "\(folder)/hard.wav")
      let state = "\(folder)/state"
      let kept = ["\(song)", inFolder, list]
      let before = try kept.map(bytes)
      let cases: [(arguments: [String], names: [String])] = [
        (["--output", "wav:\(song)", song], ["--output wav:\(song)", song]),
        (["--output", "wav:\(folder)/link.wav", song], ["\(folder)/link.wav", song]),
        (["--output", "wav:\(folder)/hard.wav", song], ["\(folder)/hard.wav", song]),
        (["--output", "wav:\(folder)/./Music/../link.wav", list], ["Music/../link.wav", song]),
        (["--output", "simulated", "--events", song, song], ["--events \(song)", song]),
        (["--output", "simulated", "--timeline", song, song], ["--timeline \(song)", song]),
        (["--output", "simulated", "--events", inFolder, "\(folder)/Music"], ["--events", inFolder]),
        (["--output", "simulated", "--events", list, list], ["--events", list]),
        (
          ["--output", "wav:\(folder)/new", "--events", "\(folder)/./new", song],
          ["--output wav:\(folder)/new", "--events \(folder)/./new"]
        ),
        (
          [
            "--output", "simulated", "--timeline", "\(folder)/new", "--events", "\(folder)/Music/../new",
            song,
          ],
          ["--timeline \(folder)/new", "--events \(folder)/Music/../new"]
        ),
      ]
      for (arguments, names) in cases {
        let player = try studio.play(arguments + ["--no-socket"], hasEvents: false)
        #expect(try await player.ended().status == 64, "\(arguments)")
        let errors = player.log.value.errors.joined(separator: "\n")
        #expect(names.allSatisfy { errors.contains($0) }, "\(arguments): \(errors)")
      }
      for arguments in [
        ["--timeline", song, song], ["--timeline", song, list], ["--timeline", "\(state)/queue"],
        ["--timeline", "\(state)/library"], ["--timeline", "\(state)/stickers"],
        ["--timeline", "\(state)/lock"],
      ] {
        let server = try studio.beginServing(["--state", state, "--output", "simulated"] + arguments)
        #expect(try await server.ended().status == 64, "\(arguments)")
      }
      #expect(try kept.map(bytes) == before)
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/new"))
    }

    /// Names in Latin-1: two that differ only in what is no UTF-8, and one behind an option's equals sign.
    @Test func namesThatAreNoUTF8() async throws {
      let studio = try Studio()
      defer { studio.close() }
      var songs: [String] = []
      for seed in 1...2 {
        songs.append(try await Song(duration: 0.3, seed: UInt64(seed)).write(into: studio.folder))
      }
      let script = """
        set -e
        cd "$1"
        a=$(printf 'a\\351.mp3') b=$(printf 'a\\350.mp3') d=$(printf 'd\\351.svg')
        cp "$2" "$a"
        cp "$3" "$b"
        "$0" play --no-socket --output wav:all.wav --timeline="$d" "$a" "$b"
        test -s "$d"
        w=$(printf 'w\\351.wav') p=$(printf 'p\\351')
        "$0" play --no-socket --output "wav:$w" "$a" "$b"
        cmp "$w" all.wav
        ln -s /bin/cp "$p"
        "$0" phone run --no-socket "./$p" "$a" "$p.mp3"
        cmp "$a" "$p.mp3"
        """
      let run = try Run("sh", ["-c", script, product("continuo"), studio.folder] + songs)
      _ = try await run.finished()
      expectSame(try Sound(waveFile: "\(studio.folder)/all.wav"), try await Sound.mpg123(songs))
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test func unwritableFileIsAnError() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.2).write(into: studio.folder)
      let player = try studio.play([path, "--output", "wav:\(studio.folder)/missing/all.wav"])
      #expect(try await player.ended().status == 69)
      #expect(player.log.value.errors.contains { $0.contains("missing/all.wav") })
    }
  }
}

extension Sound {
  /// The samples of a WAV file in stereo floats.
  init(waveFile path: String) throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let marker = file.range(of: Data("data".utf8)) else { throw Failure("\(path) is no WAV file") }
    self.init(file[(marker.upperBound + 4)...], format: .float32)
  }
}
