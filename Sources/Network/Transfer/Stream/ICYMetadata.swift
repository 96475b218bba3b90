package struct ICYMetadata: Hashable, Sendable {
  /// `StreamTitle`, usually "artist - title". Nil if the block has none; empty if it clears the title.
  package var title: String?
  /// `StreamUrl`: a page or a picture for the current title.
  package var url: String?

  package init(title: String? = nil, url: String? = nil) {
    self.title = title
    self.url = url
  }

  /// Parses a block without its length byte, `name='value';…` or `name=value;…`; nil for any other format. A
  /// quoted value ends at the quote before a semicolon, or else at the last quote, because stations do not
  /// escape quotes. Decodes text like `LenientText`.
  package init?(block: some Collection<UInt8>) {
    let zero = block.firstIndex(of: 0) ?? block.endIndex
    guard block[zero...].allSatisfy({ $0 == 0 }) else { return nil }
    var rest = Array(block[..<zero])[...]
    var found = false
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = rest[..<equals].drop { $0 == UInt8(ascii: ";") || $0 == 0x20 }
      guard !name.isEmpty, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
      rest = rest[(equals + 1)...]
      let value = Self.takeValue(&rest)
      found = true
      switch String(decoding: name, as: UTF8.self).lowercased() {
      case "streamtitle": title = title ?? LenientText.clean(value)
      case "streamurl": url = url ?? LenientText.clean(value)
      default: break
      }
    }
    guard found else { return nil }
  }

  private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let quote = UInt8(ascii: "'")
    let semicolon = UInt8(ascii: ";")
    guard rest.first == quote else {
      let value = rest.prefix { $0 != semicolon }
      rest = rest[value.endIndex...].dropFirst()
      return value
    }
    let inside = rest.dropFirst()
    var index = inside.startIndex
    while index + 1 < inside.endIndex {
      if inside[index] == quote, inside[index + 1] == semicolon {
        rest = inside[(index + 2)...]
        return inside[..<index]
      }
      index += 1
    }
    let end = inside.lastIndex(of: quote) ?? inside.endIndex
    rest = []
    return inside[..<end]
  }
}

/// The description of a live stream in the head of its response.
package struct ICYStation: Hashable, Sendable {
  package var name: String?
  package var genre: String?
  package var url: String?
  /// `icy-br` in bits per second.
  package var bitRate: Int?
  /// The number of audio bytes between two metadata blocks; nil if the stream has none.
  package var interval: Int?

  /// Reads the `icy-` fields of a head; nil if the head does not announce a live stream. Throws `badAnswer`
  /// for an interval outside `NetworkLimits.metadataInterval`.
  init?(_ head: ResponseHead) throws(TransferFailure) {
    let interval = head.fields["icy-metaint"]
    guard head.isICY || interval != nil || head.fields["icy-name"] != nil else { return nil }
    if let interval {
      guard let number = Int(interval), NetworkLimits.metadataInterval.contains(number) else {
        throw TransferFailure(.badAnswer, "the stream's icy-metaint cannot be used")
      }
      self.interval = number
    }
    let text = { (name: String) -> String? in
      let text = head.fields[name].map { LenientText.clean($0.utf8) } ?? ""
      return text.isEmpty ? nil : text
    }
    name = text("icy-name")
    genre = text("icy-genre")
    url = text("icy-url")
    // Some stations send several numbers, separated by commas.
    bitRate = text("icy-br").flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
      .flatMap { (1...10_000).contains($0) ? $0 * 1000 : nil }
  }
}
