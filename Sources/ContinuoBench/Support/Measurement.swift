/// What can be measured, by the name that `--only` takes.
enum Measurement: String, CaseIterable {
  case render, cpu, start, jitter, network
  case roundtrip, crowd, watch, add, memory, library

  /// Those of the control socket, which have servers of their own.
  static let control: [Measurement] = [.roundtrip, .crowd, .watch, .add, .memory, .library]
  /// Those that play on this program's audio server.
  static let playback: [Measurement] = [.cpu, .start, .jitter, .network]
}
