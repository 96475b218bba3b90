import Foundation
import NetworkTestSupport
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// The program and a station.
  @Suite struct RadioTests {
    private static let interval = 8_192

    /// A song's frames without tag and Info frame, and where each begins.
    private func frames(of bytes: [UInt8]) -> (sound: [UInt8], starts: [Int]) {
      let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      var place = bytes.firstIndex(of: 0xFF) ?? 0
      var starts: [Int] = []
      while place + 4 <= bytes.count, bytes[place] == 0xFF {
        starts.append(place)
        place += 144_000 * rates[Int(bytes[place + 2] >> 4)] / 44_100 + Int(bytes[place + 2] >> 1 & 1)
      }
      return (Array(bytes[starts[1]...]), starts.dropFirst().map { $0 - starts[1] })
    }

    private func block(_ title: String?) -> [UInt8] {
      guard let title else { return [0] }
      let text = Array("StreamTitle='\(title)';".utf8)
      return [UInt8((text.count + 15) / 16)] + text
        + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
    }

    @Test(
      "titles are told when their first frame is heard, the station is named, and the sound has no blocks in it"
    )
    func titles() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 6, seed: 5).write(into: studio.folder)
      let song = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let (sound, starts) = frames(of: song)
      let titles = [1: "One", 2: "One", 4: "It's; \"two\"", 6: ""]
      var stream: [UInt8] = []
      for (number, start) in stride(from: 0, to: sound.count, by: Self.interval).enumerated() {
        if number > 0 { stream += block(titles[number]) }
        stream += sound[start..<min(start + Self.interval, sound.count)]
      }
      let head = Array("ICY 200 OK\r\nicy-name: Lab\r\nicy-metaint: \(Self.interval)\r\n\r\n".utf8)
      let server = try HostileServer { [stream] request in
        guard request.target == "/radio" else {
          let list = Array("[playlist]\nFile1=radio\nTitle1=The list's name\n".utf8)
          return [
            .send(
              HostileFile.head("200 OK", ["Content-Type: audio/x-scpls", "Content-Length: \(list.count)"])),
            .send(list),
          ]
        }
        return [.send(head), .send(stream), .hang]
      }
      let events = "\(studio.folder)/radio.jsonl"
      let player = try studio.play(
        [
          server.url("/list.pls"), "--output", "simulated", "--events", events, "--at",
          "5:quit",
        ])
      let end = try await player.ended()
      #expect(end.status == 0, "\(player.log.value)")
      #expect(player.log.value.output.first == "1/1  The list's name", "\(player.log.value)")
      #expect(player.log.value.output.contains("Title: One"), "\(player.log.value)")

      let told = try String(contentsOfFile: events, encoding: .utf8).split(separator: "\n").compactMap {
        line -> [String: Any]? in
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return object?["event"] as? String == "timedMetadata" ? object : nil
      }
      // One that was told before is not told again.
      #expect(told.map { $0["value"] as? String } == ["One", "It's; \"two\"", ""])
      #expect(
        told.allSatisfy { $0["identifier"] as? String == "icy/StreamTitle" && $0["index"] as? Int == 0 })
      for (event, number) in zip(told, [1, 4, 6]) {
        let frame = try #require(starts.firstIndex { $0 >= number * Self.interval })
        let time = try #require(event["time"] as? Double)
        #expect(abs(time - Double(frame) * 1_152 / 44_100) <= 1_152 / 44_100)
      }
    }
  }
}
