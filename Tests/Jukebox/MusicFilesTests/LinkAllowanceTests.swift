import MusicFiles
import Testing

@Suite struct LinkAllowanceTests {
  @Test("Each song found adds a hundred names and a second")
  func songsAdd() {
    var names = LinkAllowance(names: 10)
    names.add(songs: 2)
    let allowed = (0..<210).compactMap { _ in names.takeName() }
    let refused = names.takeName()
    #expect(allowed == [] && refused?.contains("too many files") == true)
    var seconds = LinkAllowance(seconds: 3)
    seconds.add(songs: 2)
    let inTime = seconds.takeName(5)
    let late = seconds.takeName(5.1)
    #expect(inTime == nil && late?.contains("too slow") == true)
  }
}
