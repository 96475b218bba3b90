import AppLifecycle
import Clocks
import ContinuoNetworking
public import Foundation
import Transfer

/// Media on the device's network. Files are served with `SimulatedNetwork.serve(_:at:)`.
extension TestDevice {
  /// Creates a song at an http or https URL. `bitRate` is 16,000…1,000,000 bits per second, `sampleRate` 8,000…48,000 PCM
  /// frames per second. The device recognizes the song's frames, so that it can report which were heard
  /// regardless of network faults. A name must be used only once per device.
  public func song(
    _ name: String, duration: Duration, at url: String, bitRate: Int = 128_000, sampleRate: Int = 44_100
  ) -> Song {
    let frames = frames(in: duration, sampleRate)
    let stream = stream(name, frames: frames, bitRate: bitRate, sampleRate: sampleRate)
    network.serve(SimulatedNetwork.Content(kind: .song(stream), etag: "\"\(stream.song)\""), at: url)
    return Song(name: name, url: address(url), frameCount: frames, sampleRate: sampleRate)
  }

  /// Creates a station, a live stream that continues regardless of listeners, and returns its URL. The station has
  /// been on air for a minute when the device starts. Frames are counted from the beginning of this minute.
  ///
  /// - Parameters:
  ///   - name: the station's name, sent in the field `icy-name`. Must be used only once per device.
  ///   - url: an http or https URL.
  ///   - bitRate: bits per second, 16,000…1,000,000.
  ///   - sampleRate: PCM frames per second, 8,000…48,000.
  ///   - burst: the amount of past audio that a listener receives immediately, so that playback can begin.
  ///   - titles: the titles with their start times on the device's clock.
  public func station(
    _ name: String, at url: String, bitRate: Int = 128_000, sampleRate: Int = 44_100,
    burst: Duration = .seconds(4), titles: [Duration: String] = [:]
  ) -> URL {
    let stream = stream(name, frames: nil, bitRate: bitRate, sampleRate: sampleRate)
    let titles = titles.sorted { $0.key < $1.key }
    let station = MarkedStation(stream: stream, name: name, titles: titles, burst: max(.zero, burst))
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

/// `URLSession`, for which the application and the test import ContinuoNetworking. ``network`` answers the
/// requests, and the delegates are called on the main queue.
extension TestDevice {
  /// Connects the device to power: discretionary transfers begin immediately from now on.
  public func connectPower() async { await happen { $0.networking.connectPower() } }

  /// Force-quits the application, as by a swipe: terminates it and cancels its background transfers.
  public func quit() async { await happen { $0.quit() } }

  func useNetwork() {
    system.networking.transport = network
    system.networking.transfersFolder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("continuo-device-\(UUID().uuidString)").path
  }

  func closeSessions() {
    system.networking.close()
    guard let folder = system.networking.transfersFolder else { return }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
