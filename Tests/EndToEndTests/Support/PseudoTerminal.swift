import Foundation
import PulseTestSupport

/// A terminal with nobody in front of it but a test.
///
/// Any thread may use a dispatch source; that its protocol does not say so is why this is unchecked.
final class PseudoTerminal: @unchecked Sendable {
  /// What a program opens.
  let path: String
  private let master: Int32
  /// Kept open, so that the settings can be read after the program's end.
  private let slave: Int32
  private let screen = Observed("")
  private let source: any DispatchSourceRead

  /// A terminal of that many columns.
  init(columns: UInt16 = 80) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, &name, nil, &size) == 0 else { throw Failure("no pseudo-terminal") }
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    self.master = master
    self.slave = slave
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    source = DispatchSource.makeReadSource(fileDescriptor: master, queue: DispatchQueue(label: "terminal"))
    let screen = self.screen
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(master, &buffer, buffer.count)
      if count > 0 { screen.update { $0 += String(decoding: buffer[..<count], as: UTF8.self) } }
    }
    source.setCancelHandler {
      close(master)
      close(slave)
    }
    source.resume()
  }

  deinit { source.cancel() }

  /// All that was written to it.
  var output: String { screen.value }

  /// Waits until the output from `index` on (in bytes) contains `text`.
  @discardableResult
  func shows(_ text: String, from index: Int = 0, limit: Double = 10) async throws -> String {
    try await screen.wait(for: "\(text) on the terminal", limit: limit) {
      String(decoding: $0.utf8.dropFirst(index), as: UTF8.self).contains(text)
    }
  }

  /// Presses keys.
  func type(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

  /// What the terminal does with keys: ECHO, ICANON and the like.
  var localFlags: tcflag_t {
    var settings = termios()
    tcgetattr(slave, &settings)
    return settings.c_lflag
  }
}
