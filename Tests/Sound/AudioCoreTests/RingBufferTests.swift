import AudioCore
import Clocks
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RingBufferTests {
  private let stereo = PCMFormat(sampleRate: 44_100, channelCount: 2)

  private func chunk(_ frames: Int, offset: Int64 = 0, item: UInt64 = 1) -> Chunk {
    Chunk(generation: 7, item: ItemID(rawValue: item), origin: 100, offset: offset, frameCount: frames)
  }

  @Test func emptyRingHasRoomAndNothingElse() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 100, chunkCapacity: 3)
    let producer = ends.producer
    var consumer = ends.consumer
    #expect((producer.freeFrames as Int) == 128)
    #expect(producer.writableRegion.count == 256)
    #expect((producer.canCommit as Bool))
    #expect((consumer.availableFrames as Int) == 0)
    #expect(consumer.peek() == nil)
    consumer.skipChunk()
    #expect(consumer.peek() == nil)
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 4), (1024, 1024), (1025, 2048)])
  func capacityIsRoundedUpToAPowerOfTwo(asked: Int, got: Int) {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: asked, chunkCapacity: 1)
    let producer = ends.producer
    #expect((producer.freeFrames as Int) == got)
  }

  @Test func aPartlyReadChunkSaysWhatIsLeft() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 16, chunkCapacity: 4)
    var producer = ends.producer
    var consumer = ends.consumer
    let region = producer.writableRegion
    for index in 0..<20 { region[index] = Float(index) }
    producer.commit(chunk(10, offset: 1000))
    #expect((consumer.availableFrames as Int) == 10)
    var buffer = [Float](repeating: -1, count: 12)
    let read = buffer.withUnsafeMutableBufferPointer { consumer.read(into: $0, maxFrames: 4) }
    #expect(read == 4)
    #expect(buffer == [0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1])
    #expect(consumer.peek() == chunk(6, offset: 1004))
    #expect((producer.freeFrames as Int) == 10)
    // The buffer limits as well as the wish.
    let rest = buffer.withUnsafeMutableBufferPointer { consumer.read(into: $0, maxFrames: 100) }
    #expect(rest == 6)
    #expect(buffer == (8..<20).map(Float.init))
    #expect(consumer.peek() == nil)
    #expect((producer.freeFrames as Int) == 16)
  }

  @Test func readStopsAtTheEndOfAChunk() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 16, chunkCapacity: 4)
    var producer = ends.producer
    var consumer = ends.consumer
    producer.commit(chunk(3, item: 1))
    producer.commit(chunk(5, item: 2))
    var buffer = [Float](repeating: 0, count: 32)
    #expect(buffer.withUnsafeMutableBufferPointer { consumer.read(into: $0, maxFrames: 16) } == 3)
    #expect(consumer.peek()?.item.rawValue == 2)
    #expect((consumer.availableFrames as Int) == 5)
  }

  @Test func marksWithoutFramesKeepTheirPlace() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 4, chunkCapacity: 4)
    var producer = ends.producer
    var consumer = ends.consumer
    producer.commit(chunk(4, item: 1))
    #expect(producer.writableRegion.isEmpty)
    var mark = chunk(0, item: 1)
    mark.ending = .end
    producer.commit(mark)
    var buffer = [Float](repeating: 0, count: 8)
    #expect(buffer.withUnsafeMutableBufferPointer { consumer.read(into: $0, maxFrames: 4) } == 4)
    #expect(consumer.peek() == mark)
    #expect((consumer.availableFrames as Int) == 0)
    #expect(buffer.withUnsafeMutableBufferPointer { consumer.read(into: $0, maxFrames: 4) } == 0)
    #expect(consumer.peek() == mark)
    consumer.skipChunk()
    #expect(consumer.peek() == nil)
  }

  @Test func skippingGivesTheRoomBack() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 8, chunkCapacity: 2)
    var producer = ends.producer
    var consumer = ends.consumer
    producer.commit(chunk(5))
    producer.commit(chunk(3, item: 2))
    #expect((producer.freeFrames as Int) == 0)
    var buffer = [Float](repeating: 0, count: 2)
    #expect(buffer.withUnsafeMutableBufferPointer { consumer.read(into: $0, maxFrames: 1) } == 1)
    consumer.skipChunk()
    #expect((producer.freeFrames as Int) == 5)
    #expect(consumer.peek() == chunk(3, item: 2))
    consumer.skipChunk()
    #expect((producer.freeFrames as Int) == 8)
  }

  @Test func noRoomForAChunkMeansNoRegion() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 8, chunkCapacity: 2)
    var producer = ends.producer
    var consumer = ends.consumer
    producer.commit(chunk(1))
    producer.commit(chunk(1))
    #expect(!(producer.canCommit as Bool))
    #expect(producer.writableRegion.isEmpty)
    #expect((producer.freeFrames as Int) == 6)
    consumer.skipChunk()
    #expect((producer.canCommit as Bool))
    #expect(producer.writableRegion.count == 12)
  }

  @Test func theRegionEndsWhereTheRingWraps() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 8, chunkCapacity: 8)
    var producer = ends.producer
    var consumer = ends.consumer
    producer.commit(chunk(6))
    consumer.skipChunk()
    #expect((producer.freeFrames as Int) == 8)
    #expect(producer.writableRegion.count == 4)
    producer.commit(chunk(2))
    #expect(producer.writableRegion.count == 12)
  }

  @Test func moreThanFitsIsAProgrammersMistake() async {
    await #expect(processExitsWith: .failure) {
      let format = PCMFormat(sampleRate: 44_100, channelCount: 2)
      let ends = RingBuffer.makeEnds(format: format, capacityFrames: 8, chunkCapacity: 8)
      var producer = ends.producer
      producer.commit(Chunk(generation: 0, item: ItemID(rawValue: 0), origin: 0, offset: 0, frameCount: 9))
    }
  }

  @Test func memoryGoesWithTheLastEnd() {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: 8, chunkCapacity: 8)
    var producer = ends.producer
    do {
      let consumer = ends.consumer
      #expect((consumer.availableFrames as Int) == 0)
    }
    producer.writableRegion[0] = 1
    producer.commit(chunk(1))
    #expect((producer.freeFrames as Int) == 7)
  }

  /// Two threads, sizes that fit nowhere, every sample and every descriptor checked. Under
  /// `-c release --sanitize=thread` this is the proof of the memory order: a relaxed index is found at once. (A debug
  /// build finds nothing: locks inside the Swift runtime order the threads by accident.)
  @Test(arguments: [(8, 2, 200_000), (1000, 7, 1_000_000), (16_384, 64, 2_000_000)])
  func streamOfFramesBetweenTwoThreads(capacity: Int, chunks: Int, total: Int) async throws {
    let ends = RingBuffer.makeEnds(format: stereo, capacityFrames: capacity, chunkCapacity: chunks)
    let producer = Parcel(ends.producer)
    let consumer = Parcel(ends.consumer)
    let clock = SystemClock.shared
    let result = AsyncStream<RingStress.Result>.makeStream()
    let reader = RingStress.Reader(total: total)
    let writer = RingStress.Writer(total: total)
    // The ends travel into the bodies by way of a lock that is never contended.
    let reading = clock.makeWorker("ring-read") {
      consumer.use { reader.run(&$0) { result.continuation.yield($0) } }
    }
    let writing = clock.makeWorker("ring-write") {
      producer.use { writer.run(&$0) }
    }
    var iterator = result.stream.makeAsyncIterator()
    let outcome = try #require(await iterator.next())
    writing.cancel()
    reading.cancel()
    #expect(outcome == RingStress.Result(frames: total, wrongSamples: 0, wrongChunks: 0))
  }
}
