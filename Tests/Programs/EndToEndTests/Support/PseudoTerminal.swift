import Foundation
import PulseTestSupport

/// A terminal with nobody in front of it but a test.
final class PseudoTerminal: Sendable {
  /// What a program opens.
  let path: String
  private let master: Int32
  /// Kept open, so that the settings can be read after the program's end.
  private let slave: Int32
  private let screen = Observed("")
  private let reader: DescriptorReader

  /// A terminal of that many columns.
  init(columns: UInt16 = 80) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, &name, nil, &size) == 0 else { throw Failure("no pseudo-terminal") }
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.master = master
    self.slave = slave
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The reader closes what it reads.
    reader = DescriptorReader(descriptor: fcntl(master, F_DUPFD_CLOEXEC, 3)) { [screen] bytes in
      screen.update { $0 += String(decoding: bytes, as: UTF8.self) }
    }
  }

  deinit {
    reader.finish()
    close(master)
    close(slave)
  }

  /// All that was written to it.
  var output: String { screen.value }

  /// Waits until the output from `index` on (in bytes) contains `text`.
  @discardableResult
  func shows(_ text: String, from index: Int = 0, limit: Double = 120) async throws -> String {
    try await screen.wait(for: "\(text) on the terminal", limit: limit) {
      String(decoding: $0.utf8.dropFirst(index), as: UTF8.self).contains(text)
    }
  }

  /// Makes it as many columns wide, of which the system tells the programs on it.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
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
