import AudioCore
import Testing

@testable import PlaybackEngine

struct RendererTests {
  private static let format = PCMFormat(sampleRate: 44_100, channelCount: 2)

  /// An item that breaks off at once brings a chunk without frames, which takes the place of nothing.
  @Test func whatReplacesNothingLeavesThePlaceOfTheNextFrame() {
    let ends = RingBuffer.makeEnds(format: Self.format, capacityFrames: 4096, chunkCapacity: 16)
    var producer = ends.producer
    let renderer = Renderer(
      consumer: ends.consumer, format: Self.format, lowWater: 1, generation: 1, log: RenderLog(),
      reportsEveryPiece: false, wantsData: {}, logChanged: {})
    var buffer = [Float](repeating: 0, count: 2 * 1000)
    func render(from frame: Int64) -> Int {
      buffer.withUnsafeMutableBufferPointer { renderer.render(into: $0, firstFrame: frame) }
    }
    func commit(_ count: Int, generation: UInt64, ending: Chunk.Ending, at frame: Int64?) {
      var chunk = Chunk(
        generation: generation, item: 1, origin: 0, offset: 0, frameCount: count, ending: ending)
      chunk.streamFrame = frame
      producer.commit(chunk)
    }
    commit(1000, generation: 1, ending: .none, at: nil)
    #expect(render(from: 0) == 1000)
    renderer.setGeneration(2)
    commit(0, generation: 2, ending: .failure, at: 400)
    #expect(renderer.replacedFrame == 400)
    #expect(render(from: 400) == 0)
    #expect(renderer.nextFrame == 1000)
    renderer.setGeneration(3)
    commit(500, generation: 3, ending: .none, at: 450)
    #expect(renderer.replacedFrame == 450)
    #expect(render(from: 450) == 500)
    #expect(renderer.nextFrame == 950)
  }
}
