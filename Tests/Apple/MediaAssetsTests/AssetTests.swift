import Foundation
import MediaAssets
import MediaTime
import TestSupport
import Testing

@Suite("Assets of real files", .timeLimit(.minutes(10)))
struct AssetTests {
  private var song: URL { Repository.media("01 Ground in D.mp3") }

  @Test("Nothing is read before it is asked for")
  func lazy() {
    let asset = AVURLAsset(url: URL(fileURLWithPath: "/no/such/file.mp3"))
    #expect(asset.statusOfValue(forKey: "duration", error: nil) == .unknown)
    #expect(asset.url.path == "/no/such/file.mp3")
    #expect(AVAsset(url: song) is AVURLAsset)
    #expect(asset.copy() as? AVURLAsset === asset)
  }

  @Test("load gives one value or several")
  func load() async throws {
    let asset = AVURLAsset(url: song)
    let duration = try await asset.load(.duration)
    #expect(duration.isNumeric && duration.seconds > 5)
    let (isPlayable, again) = try await asset.load(.isPlayable, .duration)
    #expect(isPlayable && again == duration)
    let (_, _, isPrecise) = try await AVAsset(url: song).load(
      .isPlayable, .duration, .providesPreciseDurationAndTiming)
    #expect(isPrecise)
    #expect(asset.duration == duration && asset.isPlayable)
    if case .loaded(let known) = asset.status(of: .duration) {
      #expect(known == duration)
    } else {
      Issue.record("not loaded")
    }
  }

  @Test("loadValuesAsynchronously calls its handler once, also when all is known")
  func loadValues() async {
    let asset = AVURLAsset(url: song, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
    for _ in 1...2 {
      await withCheckedContinuation { continuation in
        asset.loadValuesAsynchronously(forKeys: ["duration", "playable"]) { continuation.resume() }
      }
      var error: NSError?
      #expect(asset.statusOfValue(forKey: "duration", error: &error) == .loaded && error == nil)
    }
    #expect(asset.providesPreciseDurationAndTiming)
  }

  @Test("A file's name may have any bytes, and none with a zero is another's")
  func namesOfBytes() async throws {
    let folder = URL(
      fileURLWithPath: NSTemporaryDirectory() + "continuo-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Latin-1, a quote, a line feed, a per cent sign.
    let name: [UInt8] = Array("caf".utf8) + [0xE9, 0x27, 0x0A, 0x25, 0x34, 0x31]
    let linked = (Array("\(folder.path)/".utf8) + name + [0]).withUnsafeBufferPointer { path in
      path.withMemoryRebound(to: CChar.self) { name in name.baseAddress.map { symlink(song.path, $0) } }
    }
    #expect(linked == 0)
    let asset = AVURLAsset(url: try #require(URL(string: "\(folder.absoluteString)caf%E9'%0A%2541")))
    #expect(try await asset.load(.duration) == AVURLAsset(url: song).load(.duration))

    let cut = AVURLAsset(url: try #require(URL(string: "\(song.absoluteString)%00.mp3")))
    await #expect(throws: AVError.self) { try await cut.load(.duration) }
    let slash = AVURLAsset(url: URL(fileURLWithPath: song.path, isDirectory: true))
    #expect(try await slash.load(.isPlayable))
  }

  @Test(
    "A file that is not there fails; one without audio is not playable, and has no length; other schemes are refused"
  )
  func failures() async throws {
    let missing = AVURLAsset(url: URL(fileURLWithPath: "/no/such/file.mp3"))
    await #expect(throws: AVError.self) { try await missing.load(.duration) }
    var error: NSError?
    #expect(missing.statusOfValue(forKey: "duration", error: &error) == .failed)
    #expect(error?.code == AVError.failedToLoadMediaData.rawValue)
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 260)
    #expect(missing.duration.isIndefinite && !missing.isPlayable)

    let text = AVURLAsset(url: Repository.media("README.md"))
    #expect(try await text.load(.isPlayable) == false)
    #expect(try await text.load(.hasProtectedContent) == false)
    do {
      _ = try await text.load(.duration)
      Issue.record("loaded")
    } catch AVError.fileFormatNotRecognized {}
    await #expect(throws: AVError.self) {
      try await text.load(.isPlayable, .providesPreciseDurationAndTiming)
    }
    error = nil
    #expect(text.statusOfValue(forKey: "duration", error: &error) == .failed)
    #expect(error?.code == AVError.fileFormatNotRecognized.rawValue)
    #expect(text.statusOfValue(forKey: "playable", error: nil) == .loaded)
    guard case .failed = text.status(of: .duration), case .loaded(false) = text.status(of: .isPlayable) else {
      Issue.record("another status")
      return
    }

    let remote = AVURLAsset(url: try #require(URL(string: "ftp://localhost/a.mp3")))
    do {
      _ = try await remote.load(.isPlayable)
      Issue.record("loaded")
    } catch AVError.operationNotSupportedForAsset {}
  }
}
