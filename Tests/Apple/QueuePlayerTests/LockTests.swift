import AudioCore
import AudioSession
import Dispatch
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization
import Testing
import Transfer

@testable import MediaAssets
@testable import QueuePlayer

@Suite("What is released or called does not find the lock of its owner taken")
struct LockTests {
  @Test("Players are released on one thread while another takes their snapshots")
  func snapshots() {
    let stage = VirtualStage()
    for _ in 0..<3_000 {
      // With an item, whose place the player keeps when it ends: under the lock.
      let player = Mutex<AVPlayer?>(stage.player(stage.item("a")))
      guard let core = player.withLock({ $0?.core }) else { continue }
      let (looks, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        var count = 0
        while core.snapshot() != nil {
          count += 1
          if count == 10 { looks.signal() }
        }
        ends.signal()
      }
      looks.wait()
      player.withLock { $0 = nil }
      ends.wait()
    }
  }

  @Test("The medium of an asset is made while others are added to those who hear of it")
  func sharedMedium() throws {
    let stage = VirtualStage()
    let url = try #require(URL(string: "http://test/a.mp3"))
    let medium = SharedMedium(try RemoteAsset(url, isPrecise: false))
    let player = stage.player(nil)
    let made = medium.source { _, _ in
      medium.add(ItemID.next(), of: player.core)
      return NoSource()
    }
    let again = medium.source { _, _ in
      Issue.record("made twice")
      return NoSource()
    }
    #expect(made as? NoSource === again as? NoSource)
  }

  @Test("A decoder that was opened only to look at its medium may use the reading when it ends")
  func reading() throws {
    let source = EndingSource()
    let reading = AssetReading(source)
    source.onEnd.withLock {
      $0 = { [weak reading] in
        let info = try? reading?.proceed(isWanted: { true }) {}
        #expect(info == .some(.none) || info == nil)
      }
    }
    #expect(try reading.proceed(isWanted: { true }) {} != nil)
    #expect(source.ends.withLock { $0 } == 1)
    #expect(try reading.proceed(isWanted: { true }) {} == nil)
  }

  @Test("A reading that is not wanted any more releases its opening")
  func unwanted() throws {
    weak let held: Ending?
    let reading: AssetReading
    do {
      let ending = Ending {}
      held = ending
      reading = AssetReading(WaitingSource(ending))
    }
    #expect(try reading.proceed(isWanted: { true }) {} == nil && held != nil)
    #expect(try reading.proceed(isWanted: { false }) {} == nil && held == nil)
    #expect(try reading.proceed(isWanted: { true }) {} == nil)
  }

  @Test("A handler whose place another takes may own what uses the players when it ends")
  func handlers() {
    let suspension = VirtualStage().suspension
    let ends = Mutex(0)
    do {
      let owned = Ending {
        _ = suspension.activity
        ends.withLock { $0 += 1 }
      }
      suspension.onKeepingActivityChange = { _ in withExtendedLifetime(owned) {} }
    }
    suspension.onKeepingActivityChange = nil
    #expect(ends.withLock { $0 } == 1)
  }
}

/// Calls a body when it ends.
private final class Ending: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
}

private final class NoSource: MediaSource {
  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in nil }
  }
}

/// A medium whose decoders say when they end.
private final class EndingSource: MediaSource {
  let onEnd = Mutex<(@Sendable () -> Void)?>(nil)
  let ends = Mutex(0)

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    let body = onEnd.withLock { $0 }
    return MediaOpening { () throws(DecodingError) in
      EndingDecoder(
        Ending {
          self.ends.withLock { $0 += 1 }
          body?()
        })
    }
  }
}

/// A medium whose bytes never come. Its opening holds `ending`.
private final class WaitingSource: MediaSource {
  private let ending: Mutex<Ending?>

  init(_ ending: Ending) { self.ending = Mutex(ending) }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    let ending = ending.withLock { $0.take() }
    return MediaOpening { () throws(DecodingError) in withExtendedLifetime(ending) { nil } }
  }
}

private final class EndingDecoder: AudioDecoder {
  private let ending: Ending

  init(_ ending: Ending) { self.ending = ending }

  var format: PCMFormat { PCMFormat(sampleRate: 44_100, channelCount: 2) }
  var frameCount: FrameCount { .exact(0) }
  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {}
  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? { 0 }
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead { .end }
}
