import AudioCore
import AudioOutput
import Clocks
import Foundation
import MP3Decoding
import MediaTime
import PlaybackEngine
import SoundFileDecoding
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

/// An engine that plays from servers, all in virtual time.
final class RemoteStage: Sendable {
  /// What the engine told.
  enum Told: Equatable {
    case ready(ItemID)
    case stalled
    case playing
    case waiting
    case failed(ItemID)
    case seek(Bool)
    case ended(ItemID)
  }

  let clock: VirtualClock
  let network: VirtualNetwork
  let device: SimulatedOutput
  let engine: PlaybackEngine
  let cache: MediaCache
  private let log = Mutex<[Told]>([])
  private let steps = Mutex<[Int64]>([])
  private let extents = Mutex<[(id: ItemID, extent: MediaExtent, at: HostTime)]>([])

  init(cache: MediaCache = MediaCache()) {
    clock = VirtualClock(runLimit: 5_000_000)
    network = VirtualNetwork(clock: clock)
    device = SimulatedOutput(clock: clock, recordsSound: true)
    self.cache = cache
    engine = PlaybackEngine(clock: clock, device: device, mainQueue: ClockQueue(clock: clock))
    engine.start { [weak self] in self?.note($0) }
  }

  var told: [Told] { log.withLock { $0 } }
  /// The steps of the observer, of hundredths of a second.
  var heardSteps: [Int64] { steps.withLock { $0 } }
  /// Which parts of items were told to be there.
  var toldExtents: [(id: ItemID, extent: MediaExtent, at: HostTime)] { extents.withLock { $0 } }
  /// All samples that were heard.
  var heard: [Float] { device.recording.samples }

  /// A medium whose file the network serves.
  func medium(_ path: String) throws -> RemoteMedium {
    var environment = RemoteEnvironment(transport: network, clock: clock, cache: cache)
    environment.makeSeed = { 1 }
    return RemoteMedium(
      url: try WebURL.read("http://test" + path).url, settings: RequestSettings(userAgent: "test"),
      environment: environment)
  }

  @discardableResult
  func add(_ source: some MediaSource) -> ItemID {
    let id = ItemID.next()
    #expect(engine.insert(id, source: source))
    return id
  }

  func observe() {
    _ = engine.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
      [weak self] time in
      if time.timescale == 100 { self?.steps.withLock { $0.append(time.value) } }
    }
  }

  func advance(_ seconds: Double) { clock.advance(bySeconds: seconds) }

  func playOut(limit: Double = 300) {
    let end = clock.now.advanced(bySeconds: limit)
    while engine.currentItem != nil, clock.now < end { advance(0.25) }
    advance(0.5)
    #expect(engine.currentItem == nil, "not played out within \(limit) s")
  }

  private func note(_ notice: EngineNotice) {
    let told: Told? =
      switch notice {
      case .itemReady(let id, _): .ready(id)
      case .playbackStalled: .stalled
      case .timeControlChanged(.playing): .playing
      case .timeControlChanged(.waiting): .waiting
      case .itemFailed(let id, _), .failedToPlayToEnd(let id, _): .failed(id)
      case .playedToEnd(let id): .ended(id)
      default: nil
      }
    if case .extentChanged(let id, let extent) = notice {
      extents.withLock { $0.append((id, extent, clock.now)) }
    }
    if let told { log.withLock { $0.append(told) } }
    if case .seekCompleted(let completion, let finished) = notice { completion(finished) }
  }

  func seek(_ seconds: Double, isExact: Bool = false) {
    engine.seek(toSeconds: seconds, isExact: isExact) { [weak self] finished in
      self?.log.withLock { $0.append(.seek(finished)) }
    }
  }
}

/// Songs for tests.
enum Songs {
  /// A file of the repository.
  static func fixture(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Repository.fixtures.appendingPathComponent(name)))
  }

  /// `song` behind an ID3v2 tag whose only frame, a picture, has so many bytes: 20 fewer than the tag.
  static func withCover(of count: Int, _ song: [UInt8]) -> [UInt8] {
    func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 127) } }
    return Array("ID3".utf8) + [4, 0, 0] + size(count + 10) + Array("APIC".utf8) + size(count) + [0, 0]
      + [0] + Array("image/png".utf8) + [0, 3, 0] + [UInt8](repeating: 0x61, count: count - 13) + song
  }

  /// A file that one test makes, while others wait for it.
  private final class Encoded: Sendable {
    let bytes = Mutex<[UInt8]?>(nil)
  }
  private static let encoded = Mutex<[String: Encoded]>([:])

  /// Noise whose loudness changes every quarter of a second, and a tone that climbs, encoded by LAME with these options.
  static func lame(_ options: [String], rate: Int = 44_100, seconds: Int = 60) throws -> [UInt8] {
    let file = encoded.withLock { encoded in
      let name = "\(options) \(rate) \(seconds)"
      if let file = encoded[name] { return file }
      let file = Encoded()
      encoded[name] = file
      return file
    }
    return try file.bytes.withLock { bytes in
      if let bytes { return bytes }
      let made = try encode(options, rate: rate, seconds: seconds)
      bytes = made
      return made
    }
  }

  private static func encode(_ options: [String], rate: Int, seconds: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var sound = [Int16](repeating: 0, count: rate * seconds)
    sound.withUnsafeMutableBufferPointer { sound in
      // Multiplications only: this is a loop over millions.
      var noise: UInt32 = 12_345
      var phase: UInt32 = 0
      var quiet: UInt32 = 0
      for frame in 0..<sound.count {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        if frame % (rate / 4) == 0 { quiet = 17 &+ (noise >> 24) % 8 }
        phase = phase &+ 20_000_000 &+ UInt32(truncatingIfNeeded: frame) &* 16
        let tone = Int32(bitPattern: phase) >> 18
        sound[frame] = Int16(truncatingIfNeeded: tone &+ Int32(bitPattern: noise) >> quiet)
      }
    }
    let path = folder.path + "/sound"
    try sound.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
    let format = ["-r", "-s", "\(Double(rate) / 1000)", "-m", "m"]
    try runTool("lame", ["--quiet", "-q", "9", "--noreplaygain"] + format + options + [path, path + ".mp3"])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".mp3")))
  }

  private static let decoded = Mutex<[Int: [Float]]>([:])

  /// What the bytes decode to as a file, in the format that the engine plays it in.
  static func samples(_ bytes: [UInt8]) throws -> [Float] {
    let hash = bytes.hashValue
    if let samples = decoded.withLock({ $0[hash] }) { return samples }
    let folder = try TemporaryFolder()
    let path = folder.path + "/song.mp3"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let listener = Listener()
    let decoder = try listener.open(AudioFile(path: path))
    try decoder.setOutputFormat(PCMFormat(sampleRate: decoder.format.sampleRate, channelCount: 2))
    var samples: [Float] = []
    var buffer = [Float](repeating: 0, count: 8_192)
    while case .frames(let count) = try buffer.withUnsafeMutableBufferPointer({ try decoder.read(into: $0) })
    {
      samples += buffer[..<(count * 2)]
    }
    decoded.withLock { [samples] in $0[hash] = samples }
    return samples
  }
}

/// A song as a file.
struct LocalSong: MediaSource {
  private let folder: TemporaryFolder
  private let file: AudioFile

  init(_ bytes: [UInt8]) {
    do {
      folder = try TemporaryFolder()
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/song.mp3"))
    } catch {
      preconditionFailure("\(error)")
    }
    file = AudioFile(path: folder.path + "/song.mp3")
  }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    file.open(whenBytesCome: callback)
  }
}
