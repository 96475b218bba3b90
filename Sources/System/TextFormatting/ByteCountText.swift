package enum ByteCountText {
  /// `950 B`, `1.5 kB`, `12.3 MB`, `4.0 GB`: in steps of 1,000, rounded down.
  package static func text(_ count: Int64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    var unit: Int64 = 1_000
    var names = ["kB", "MB", "GB"][...]
    while names.count > 1, count / unit >= 1_000 {
      unit *= 1_000
      names = names.dropFirst()
    }
    return "\(count / unit).\(count / (unit / 10) % 10) \(names.first ?? "")"
  }
}
