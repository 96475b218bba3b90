import AudioCore
import AudioOutput
import Clocks
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
final class WAVOutputTests {
  private let clock = VirtualClock()
  private let folder = FileManager.default.temporaryDirectory.path + "/continuo-wav-\(UUID())"
  private let stereo = PCMFormat(sampleRate: 44_100, channelCount: 2)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Plays all that `source` has and returns what was said.
  private func play(
    _ source: NumberedSource, to device: WAVOutput, format: PCMFormat? = nil
  ) -> [OutputEvent] {
    let diary = Diary()
    let stream = device.makeStream(format: format ?? stereo, source: source) { [clock] in
      diary.add((clock.now, $0))
    }
    stream.start()
    clock.runUntilIdle()
    stream.close()
    return diary.all.map(\.event)
  }

  @Test func samplesComeBackBitForBit() throws {
    /// Values that any arithmetic would change.
    final class OddSource: RenderSource {
      static let values: [Float] = [
        0.1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.5, -.pi,
        Float(bitPattern: 0x3F80_0001), .infinity,
      ]
      private let rendered = Mutex(false)
      func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int {
        rendered.withLock { rendered in
          guard !rendered else { return 0 }
          for index in 0..<8 { buffer[index] = Self.values[index] }
          rendered = true
          return 4
        }
      }
      var isAtEnd: Bool { rendered.withLock { $0 } }
    }
    let path = folder + "/odd.wav"
    let device = WAVOutput(path: path, clock: clock)
    #expect(device.isOffline)
    let stream = device.makeStream(format: stereo, source: OddSource()) { _ in }
    stream.setVolume(1, muted: false)
    stream.start()
    clock.runUntilIdle()
    stream.close()
    let file = try WAVReader(path: path)
    #expect(file.format == stereo)
    #expect(areIdentical(file.samples, OddSource.values))
  }

  @Test func itWritesAsFastAsFramesCome() throws {
    let path = folder + "/fast.wav"
    let source = NumberedSource(available: 30 * 44_100)
    let events = play(source, to: WAVOutput(path: path, clock: clock))
    #expect(clock.now.nanoseconds == 0)
    #expect(events.first == .opened(route: path))
    // One for each write: 128 KiB, and the rest.
    #expect(events.count { $0 == .timingChanged } == (30 * 44_100 + 16_383) / 16_384)
    #expect(areIdentical(try WAVReader(path: path).samples, NumberedSource.samples(0..<(30 * 44_100))))
  }

  @Test func smallPiecesAreCollected() throws {
    let path = folder + "/pieces.wav"
    let source = NumberedSource(available: 0, isAtEnd: false)
    let diary = Diary()
    let device = WAVOutput(path: path, clock: clock)
    let stream = device.makeStream(format: stereo, source: source) { [clock] in diary.add((clock.now, $0)) }
    stream.start()
    for _ in 0..<100 {
      source.give(1152)
      stream.dataAvailable()
      clock.runUntilIdle()
    }
    #expect(source.now.rendered == 115_200)
    #expect(stream.timing().heardFrame == 7 * 16_384)
    #expect(diary.all.count { $0.event == .timingChanged } == 7)
    source.give(0, isAtEnd: true)
    stream.dataAvailable()
    clock.runUntilIdle()
    // The end alone completes the file; nothing has been closed.
    #expect(try WAVReader(path: path).samples.count == 2 * 115_200)
    #expect(stream.timing().heardFrame == 115_200)
    stream.close()
  }

  @Test("The end completes the file, also if the last block was written before the end was known")
  func endOnABlock() throws {
    let path = folder + "/block.wav"
    let source = NumberedSource(available: 16_384)
    let device = WAVOutput(path: path, clock: clock)
    let stream = device.makeStream(format: stereo, source: source) { _ in }
    stream.start()
    clock.runUntilIdle()
    #expect(try WAVReader(path: path).samples.count == 2 * 16_384)
    stream.close()
  }

  @Test func aFlushAsksAnEmptySourceAgain() throws {
    let path = folder + "/flushed.wav"
    let source = NumberedSource(available: 1000, isAtEnd: false)
    let stream = WAVOutput(path: path, clock: clock).makeStream(format: stereo, source: source) { _ in }
    stream.start()
    clock.runUntilIdle()
    // Frames of another place come with the flush, without `dataAvailable`.
    stream.flush { _ in source.give(500, isAtEnd: true) }
    clock.runUntilIdle()
    stream.close()
    #expect(areIdentical(try WAVReader(path: path).samples, NumberedSource.samples(1000..<1500)))
  }

  @Test func laterStreamsContinueTheFile() throws {
    let path = folder + "/two.wav"
    let device = WAVOutput(path: path, clock: clock)
    _ = play(NumberedSource(available: 1000), to: device)
    _ = play(NumberedSource(available: 500), to: device)
    #expect(
      areIdentical(
        try WAVReader(path: path).samples, NumberedSource.samples(0..<1000) + NumberedSource.samples(0..<500))
    )
  }

  @Test func anotherFormatIsRefused() throws {
    let path = folder + "/formats.wav"
    let device = WAVOutput(path: path, clock: clock)
    _ = play(NumberedSource(available: 1000), to: device)
    let events = play(
      NumberedSource(available: 500), to: device, format: PCMFormat(sampleRate: 48_000, channelCount: 2))
    guard case .failed(let error, heardFrame: 0) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(!error.isRecoverable)
    #expect(error.message.contains("48000") && error.message.contains(path))
    #expect(try WAVReader(path: path).samples.count == 2000)
  }

  @Test(arguments: [(Float(0.5), false, Float(0.5)), (1, true, 0), (0, false, 0)])
  func theVolumeIsInTheSamples(volume: Float, muted: Bool, gain: Float) throws {
    let path = folder + "/volume.wav"
    let stream = WAVOutput(path: path, clock: clock)
      .makeStream(format: stereo, source: NumberedSource(available: 100)) { _ in }
    stream.setVolume(volume, muted: muted)
    stream.start()
    clock.runUntilIdle()
    stream.close()
    #expect(try WAVReader(path: path).samples == NumberedSource.samples(0..<100).map { $0 * gain })
  }

  @Test(
    arguments: [
      ("/dev/full", "No space left on device"), ("/", "Is a directory"),
      ("/nonexistent/folder/file.wav", "No such file or directory"),
    ])
  func troubleNamesThePathAndTheReason(path: String, reason: String) throws {
    let events = play(NumberedSource(available: 100_000), to: WAVOutput(path: path, clock: clock))
    guard case .failed(let error, heardFrame: 0) = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(!error.isRecoverable)
    #expect(error.message.contains(path))
    #expect(error.message.contains(reason))
  }

  /// A limit stands for a full disk. It is met in the middle of a frame, and then lifted. In a process of its own, whose
  /// files alone are limited.
  @Test func afterAFullDiskTheFileContinues() async throws {
    let path = folder + "/limited.wav"
    await #expect(processExitsWith: .success) { [path = path as String] in
      let clock = VirtualClock()
      let format = PCMFormat(sampleRate: 44_100, channelCount: 2)
      let device = WAVOutput(path: path, clock: clock)
      func play(_ source: NumberedSource) -> OutputEvent? {
        let diary = Diary()
        let stream = device.makeStream(format: format, source: source) { diary.add((clock.now, $0)) }
        stream.start()
        clock.runUntilIdle()
        stream.close()
        return diary.all.last?.event
      }
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      limit.rlim_cur = rlim_t(WAVHeader.size + 20_000 * 8 + 3)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let failure = play(NumberedSource(available: 30_000))
      guard case .failed(_, heardFrame: 20_000) = failure else { fatalError("written frames forgotten") }
      let torn = try WAVReader(path: path)
      precondition(areIdentical(torn.samples, NumberedSource.samples(0..<20_000)))
      precondition(torn.declaredDataBytes / 8 == 20_000)
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      _ = play(NumberedSource(available: 1_000))
      let whole = try WAVReader(path: path)
      let expected = NumberedSource.samples(0..<20_000) + NumberedSource.samples(0..<1_000)
      precondition(whole.declaredDataBytes == 21_000 * 8 && areIdentical(whole.samples, expected))
    }
  }

  @Test func theHeaderOfARunningFileIsTrueEvery16MiB() throws {
    let path = folder + "/running.wav"
    let source = NumberedSource(available: 25 * 44_100, isAtEnd: false)
    let device = WAVOutput(path: path, clock: clock)
    let stream = device.makeStream(format: stereo, source: source) { _ in }
    stream.start()
    // 25 s are 8.8 MB: not yet.
    clock.runUntilIdle()
    #expect(try WAVReader(path: path).declaredDataBytes == 0)
    stream.close()
    let first = try WAVReader(path: path).declaredDataBytes
    #expect(first == 67 * 131_072)
    let more = NumberedSource(available: 30 * 44_100, isAtEnd: false)
    let second = device.makeStream(format: stereo, source: more) { _ in }
    second.start()
    clock.runUntilIdle()
    #expect(try WAVReader(path: path).declaredDataBytes == first)
    let third = NumberedSource(available: 30 * 44_100, isAtEnd: false)
    second.close()
    let last = device.makeStream(format: stereo, source: third) { _ in }
    last.start()
    clock.runUntilIdle()
    #expect(try WAVReader(path: path).declaredDataBytes >= 16 << 20)
    last.close()
  }

  @Test func finishingCompletesTheHeaderOfAnOpenStream() throws {
    let path = folder + "/finished.wav"
    let device = WAVOutput(path: path, clock: clock)
    let stream = device.makeStream(
      format: stereo, source: NumberedSource(available: 20_000, isAtEnd: false)
    ) { _ in }
    stream.start()
    clock.runUntilIdle()
    device.finish()
    // One block is written; closing the stream would complete the header too.
    #expect(try WAVReader(path: path).declaredDataBytes == 131_072)
    stream.close()
  }

  // MARK: - Header

  @Test func headersBelow4GiBAreRIFF() throws {
    let header = WAVHeader(format: stereo, dataBytes: 80)
    #expect(header.bytes.count == WAVHeader.size)
    let file = try WAVReader(Data(header.bytes) + Data(count: 80))
    #expect(file.format == stereo)
    #expect(file.samples.count == 20)
    #expect(String(decoding: header.bytes[0..<4], as: UTF8.self) == "RIFF")
  }

  @Test(arguments: [UInt64(UInt32.max) - 86, UInt64(UInt32.max) - 85, 5 << 30, 1 << 40])
  func headersAcross4GiB(_ size: UInt64) throws {
    let bytes = size / 8 * 8
    let header = WAVHeader(format: stereo, dataBytes: bytes)
    let file = try WAVReader(Data(header.bytes))
    #expect(file.declaredDataBytes == bytes)
    #expect(file.format == stereo)
    let isLong = bytes + 86 > UInt64(UInt32.max)
    #expect(String(decoding: header.bytes[0..<4], as: UTF8.self) == (isLong ? "RF64" : "RIFF"))
  }

  // MARK: - Pipes

  /// The reading end of a pipe.
  private final class PipeReader {
    let path: String
    private var descriptor: Int32 = -1

    /// Makes the pipe and opens it, unless nobody is to read.
    init(in folder: String, opens: Bool = true) throws {
      path = folder + "/pipe"
      try #require(mkfifo(path, 0o600) == 0)
      if opens {
        descriptor = open(path, O_RDONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
      }
    }

    deinit { leave() }

    func leave() {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }

    /// Reads what is in the pipe now.
    func drain() -> Data {
      var data = Data()
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return data }
        data.append(contentsOf: buffer[..<count])
      }
    }
  }

  @Test func aPipeGetsAStream() throws {
    let pipe = try PipeReader(in: folder)
    let source = NumberedSource(available: 60_000)
    let stream = WAVOutput(path: pipe.path, clock: clock).makeStream(format: stereo, source: source) { _ in }
    stream.start()
    var data = Data()
    for _ in 0..<100 where stream.timing().heardFrame < 60_000 {
      clock.advance(bySeconds: 0.002)
      #expect(stream.timing().heardFrame <= Double(stream.timing().renderedFrames))
      data += pipe.drain()
    }
    stream.close()
    data += pipe.drain()
    let file = try WAVReader(data, isStream: true)
    #expect(areIdentical(file.samples, NumberedSource.samples(0..<60_000)))
  }

  @Test func aFlushedPipeDropsWhatItDidNotTake() throws {
    let pipe = try PipeReader(in: folder)
    let source = NumberedSource(available: 60_000)
    let stream = WAVOutput(path: pipe.path, clock: clock).makeStream(format: stereo, source: source) { _ in }
    stream.start()
    clock.advance(bySeconds: 0.01)
    // Nobody has read: the pipe holds what it can, which is less than a block.
    let written = stream.timing().heardFrame
    #expect(written > 0)
    let rendered = source.now.rendered
    let dropped = Mutex<Int64>(-1)
    stream.flush { frame in dropped.withLock { $0 = frame } }
    clock.advance(bySeconds: 0.01)
    let first = dropped.withLock { $0 }
    #expect(first == Int64(written))
    #expect(first < rendered)
    var data = Data()
    for _ in 0..<100 where stream.timing().heardFrame < 60_000 {
      data += pipe.drain()
      clock.advance(bySeconds: 0.002)
    }
    stream.close()
    data += pipe.drain()
    let expected = NumberedSource.samples(0..<first) + NumberedSource.samples(rendered..<60_000)
    #expect(areIdentical(try WAVReader(data, isStream: true).samples, expected))
  }

  @Test func aReaderThatLeavesIsAnError() throws {
    let pipe = try PipeReader(in: folder)
    let source = NumberedSource(available: 60_000)
    let diary = Diary()
    let stream = WAVOutput(path: pipe.path, clock: clock).makeStream(format: stereo, source: source) {
      [clock] in
      diary.add((clock.now, $0))
    }
    stream.start()
    clock.advance(bySeconds: 0.01)
    let written = stream.timing().heardFrame
    // The signal would end this process.
    pipe.leave()
    clock.advance(bySeconds: 0.01)
    guard case .failed(let error, let heard) = diary.all.last?.event else {
      Issue.record("\(diary.all)")
      return
    }
    #expect(error.message.contains("Broken pipe") && error.message.contains(pipe.path))
    #expect(heard == Int64(written))
    #expect(heard > 0)
    stream.close()
  }

  @Test func aPipeWithoutReaderIsWaitedForAndGivenUp() throws {
    let pipe = try PipeReader(in: folder, opens: false)
    let diary = Diary()
    let device = WAVOutput(path: pipe.path, clock: clock)
    let stream = device.makeStream(format: stereo, source: NumberedSource(available: 10)) { [clock] in
      diary.add((clock.now, $0))
    }
    clock.advance(bySeconds: 9.9)
    #expect(diary.all.isEmpty)
    clock.advance(bySeconds: 0.2)
    guard case .failed(let error, heardFrame: 0) = diary.all.last?.event else {
      Issue.record("\(diary.all)")
      return
    }
    #expect(!error.isRecoverable && error.message.contains(pipe.path))
    stream.close()
  }
}
