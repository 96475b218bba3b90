import AudioSession
import Clocks
import Foundation
import Testing
import Transfer

@testable import QueuePlayer

@Suite struct NetworkLogTests {
  @Test("What was played counts for the version of the medium that was played")
  func watched() throws {
    let url = try #require(URL(string: "http://h/a.mp3"))
    var log = NetworkLog(try RemoteAsset(url, isPrecise: false))
    func time(_ seconds: Int64) -> HostTime { HostTime(nanoseconds: seconds * 1_000_000_000) }
    _ = log.take(.request(from: nil, attempt: 1), at: time(0))
    log.play(true, at: time(1))
    _ = log.take(.changed, at: time(4))
    _ = log.take(.request(from: 0, attempt: 2), at: time(5))
    #expect(log.accesses(at: time(7)).map(\.watched) == [4, 2])
  }

  @Test("The startup of a version of the medium begins with its own first request")
  func startup() throws {
    let url = try #require(URL(string: "http://h/a.mp3"))
    var log = NetworkLog(try RemoteAsset(url, isPrecise: false))
    func time(_ seconds: Int64) -> HostTime { HostTime(nanoseconds: seconds * 1_000_000_000) }
    _ = log.take(.request(from: nil, attempt: 1), at: time(0))
    _ = log.take(.request(from: nil, attempt: 2), at: time(1))
    log.ready(at: time(2))
    _ = log.take(.changed, at: time(60))
    _ = log.take(.request(from: nil, attempt: 1), at: time(61))
    log.ready(at: time(64))
    log.ready(at: time(70))
    #expect(log.accesses(at: time(71)).map(\.startupTime) == [2, 3])
  }
}
