/// The measurements, by the names that `--only` accepts.
enum Measurement: String, CaseIterable {
  case instructions, render, cpu, start, jitter, network
  case roundtrip, crowd, watch, add, memory

  /// The measurements of the control socket, which start servers of their own.
  static let control: [Measurement] = [.roundtrip, .crowd, .watch, .add, .memory]
  /// The measurements that play on this program's audio server.
  static let playback: [Measurement] = [.cpu, .start, .jitter, .network]
}
