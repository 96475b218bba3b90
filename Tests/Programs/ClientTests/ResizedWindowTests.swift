import Foundation
import PulseTestSupport
import Testing

extension ClientTests {
  /// The player's own line in a terminal that puts lines together anew when its window gets narrower.
  @Suite struct ResizedWindowTests {
    @Test func aNarrowerWindowShowsOneLine() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      try await hall.write(
        "long.mp3", tone: 440,
        ["--tt", "The title of the song", "--ta", String(repeating: "artist ", count: 9)])
      let play = "\(product("continuo")) play --output simulated --no-socket \(hall.music)/long.mp3"
      let window = try await Window(hall, ["sh", "-c", "seq -f above%g 9; exec \(play)"], columns: 120)
      do {
        try await window.shows("The title", "playing")
        for columns in [70, 40, 25, 120, 33] {
          try await window.resize(columns: columns)
          try await window.shows("a line that fits into \(columns)") { screen in
            let lines = screen.split(separator: "\n").filter { !$0.hasPrefix("above") }
            return lines.count == 1 && lines[0].count < columns
          }
        }
        try await window.press("q")
      } catch {
        await window.end()
        throw error
      }
      await window.end()
    }
  }
}
