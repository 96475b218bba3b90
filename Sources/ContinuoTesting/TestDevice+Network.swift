public import Foundation
import HostTime
import Transfer

/// Media from the device's network. Files are served with `SimulatedNetwork.serve(_:at:)`.
extension TestDevice {
  /// A song of that length behind a URL, at so many bits a second: sound that the device knows frame by frame, so that it can
  /// tell what was heard of it whatever the network does. Its name can be given once per device.
  ///
  /// - Parameters:
  ///   - name: the song's, for ``HeardSound``.
  ///   - duration: its length.
  ///   - url: where it is.
  ///   - bitRate: bits a second, from 16,000 to 1,000,000.
  ///   - sampleRate: PCM frames a second, from 8,000 to 48,000.
  public func song(
    _ name: String, duration: Duration, at url: String, bitRate: Int = 128_000, sampleRate: Int = 44_100
  ) -> Song {
    let frames = frames(in: duration, sampleRate)
    let stream = stream(name, frames: frames, bitRate: bitRate, sampleRate: sampleRate)
    network.serve(
      SimulatedNetwork.Content(kind: .song(stream), etag: "\"\(stream.song)\""), at: url)
    return Song(name: name, url: address(url), frameCount: frames, sampleRate: sampleRate)
  }

  /// A station behind a URL, which has been on the air for a minute when the device starts: a live stream that goes on whether
  /// anybody listens or not. The frames that are heard of it count from its own beginning.
  ///
  /// - Parameters:
  ///   - name: the station's, for ``HeardSound`` and listeners.
  ///   - url: where it is.
  ///   - bitRate: bits a second, from 16,000 to 1,000,000.
  ///   - sampleRate: PCM frames a second, from 8,000 to 48,000.
  ///   - burst: how much of what was sent before a listener gets at once, so that sound can begin.
  ///   - titles: from which moment of the device's clock on it sends which title.
  /// - Returns: its URL.
  public func station(
    _ name: String, at url: String, bitRate: Int = 128_000, sampleRate: Int = 44_100,
    burst: Duration = .seconds(4), titles: [Duration: String] = [:]
  ) -> URL {
    let stream = stream(name, frames: nil, bitRate: bitRate, sampleRate: sampleRate)
    let changes = titles.sorted { $0.key < $1.key }.map {
      MarkedStation.TitleChange(moment: $0.key, title: $0.value)
    }
    let station = MarkedStation(stream: stream, name: name, titles: changes, burst: max(.zero, burst))
    network.serve(SimulatedNetwork.Content(kind: .station(station), etag: nil), at: url)
    return address(url)
  }

  private func stream(_ name: String, frames: Int64?, bitRate: Int, sampleRate: Int) -> MarkedStream {
    precondition(
      (16_000...1_000_000).contains(bitRate), "a bit rate of \(bitRate) is outside of 16,000 to 1,000,000")
    precondition((8_000...48_000).contains(sampleRate), "there is no MPEG audio of \(sampleRate) Hz")
    return MarkedStream(
      song: library.addRemote(name, frames: frames), length: frames, sampleRate: sampleRate, bitRate: bitRate)
  }

  private func address(_ text: String) -> URL {
    guard let url = URL(string: SimulatedNetwork.address(text).text) else {
      preconditionFailure("\(text) is no URL")
    }
    return url
  }
}
