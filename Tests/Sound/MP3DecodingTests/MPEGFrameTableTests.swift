import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// The arithmetic of the timeline, without a file.
  @Suite struct Timeline {
    private let stereo = PCMFormat(sampleRate: 44100, channelCount: 2)
    private let other = PCMFormat(sampleRate: 48000, channelCount: 2)

    private func table(announced: Int64? = nil, delays: CodecDelays = CodecDelays()) -> MPEGFrameTable {
      MPEGFrameTable(format: stereo, samplesPerFrame: 1152, announcedFrames: announced, delays: delays)
    }

    /// Takes notice of a frame and expects that the table accepts it, or not.
    private func note(
      _ frame: Int64, _ format: PCMFormat, in table: inout MPEGFrameTable, isAccepted: Bool = true,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let result = table.note(frame, samplesPerFrame: 1152, format: format)
      #expect(result == isAccepted, sourceLocation: sourceLocation)
    }

    @Test func withoutInfo() {
      var table = table()
      for frame in 0..<10 { note(Int64(frame), stereo, in: &table) }
      #expect(table.lengthSeen == 11520)
      #expect(table.place(of: 0) == MPEGFrameTable.Place(run: 0, sample: 0, frame: 0))
      #expect(table.place(of: 1152) == MPEGFrameTable.Place(run: 0, sample: 1152, frame: 1))
      #expect(table.frameCount(bytesLeft: 4180, bytesPerFrame: 418) == .estimate(20 * 1152))
      #expect(table.frameCount(bytesLeft: nil, bytesPerFrame: 418) == .unknown)
      table.complete()
      #expect(table.frameCount(bytesLeft: 4180, bytesPerFrame: 418) == .exact(11520))
    }

    @Test func delayAndPadding() {
      var table = table(
        announced: 10, delays: CodecDelays(encoderDelay: 576, encoderPadding: 1000, decoderDelay: 529))
      #expect(table.announcedLength == Int64(9944))
      #expect(table.place(of: 0) == MPEGFrameTable.Place(run: 0, sample: 0, frame: 0))
      #expect(table.place(of: 46) == MPEGFrameTable.Place(run: 0, sample: 46, frame: 0))
      #expect(table.place(of: 47) == MPEGFrameTable.Place(run: 0, sample: 47, frame: 1))
      for frame in 1..<10 { note(Int64(frame), stereo, in: &table) }
      #expect(table.lengthSeen == 9944)
      // Behind the announced end nothing is cut.
      note(10, stereo, in: &table)
      #expect(table.lengthSeen == 9944 + 1152)
      #expect(table.place(of: 9944) == MPEGFrameTable.Place(run: 1, sample: 0, frame: 10))
    }

    @Test("Padding that ends behind the last frame cuts nothing")
    func littlePadding() {
      let table = table(
        announced: 10, delays: CodecDelays(encoderDelay: 0, encoderPadding: 100, decoderDelay: 529))
      #expect(table.announcedLength == Int64(10_991))
    }

    @Test("Delays longer than the file leave nothing")
    func absurdDelays() {
      let table = table(
        announced: 2, delays: CodecDelays(encoderDelay: 4095, encoderPadding: 4095, decoderDelay: 529))
      #expect(table.announcedLength == 0)
      #expect(table.lengthSeen == 0)
    }

    @Test func otherRates() {
      var table = table()
      note(1, other, in: &table)
      note(2, other, in: &table)
      note(3, stereo, in: &table)
      // 2304 frames of 48 kHz are 2116.8 of 44.1 kHz.
      #expect(table.lengthSeen == 1152 + 2117 + 1152)
      #expect(table.place(of: 1152 + 147) == MPEGFrameTable.Place(run: 1, sample: 160, frame: 1))
      #expect(table.place(of: 1152 + 2117) == MPEGFrameTable.Place(run: 2, sample: 0, frame: 3))
      #expect(table.run(ofFrame: 0) == 0)
      #expect(table.run(ofFrame: 2) == 1)
      #expect(table.run(ofFrame: 99) == 2)
    }

    @Test func goingBack() {
      var table = table(announced: 2)
      for frame in 1..<5 { note(Int64(frame), stereo, in: &table) }
      note(5, other, in: &table)
      let near = table.stepBack(from: table.place(of: 3000), by: 1024)
      #expect(near.run == 0 && near.sample == 3000 - 1024 && near.distance == 1024)
      let far = table.stepBack(from: table.place(of: 500), by: 1024)
      #expect(far.run == 0 && far.sample == 0 && far.distance == 500)
      let border = table.stepBack(from: table.place(of: 5 * 1152), by: 1024)
      #expect(border.run == 2 && border.sample == 0 && border.distance == 0)
    }

    @Test("Impossible headers and sizes do no harm")
    func impossibleValues() {
      var table = table()
      #expect(table.frameCount(bytesLeft: .max, bytesPerFrame: 1).value ?? 0 > 0)
      #expect(table.frameCount(bytesLeft: 100, bytesPerFrame: 0) == .unknown)
      let isNoted = table.note(1, samplesPerFrame: 0, format: stereo)
      #expect(!isNoted)
    }

    @Test func framesOutOfOrder() {
      var table = table()
      note(0, stereo, in: &table)
      note(2, stereo, in: &table, isAccepted: false)
      for frame in 1..<Int64(MPEGFrameTable.maximumRunCount) {
        note(frame, frame % 2 == 0 ? stereo : other, in: &table)
      }
      note(Int64(MPEGFrameTable.maximumRunCount), stereo, in: &table, isAccepted: false)
    }
  }
}
