extension ID3Text {
  /// Adds the fields of an ID3v2 tag, replacing existing values.
  static func add(version2 tags: MPG123Handle.Tags, to metadata: inout MP3Metadata) {
    var year: String?
    var dayAndMonth: String?
    for (id, value) in tags.texts {
      guard let text = clean(value) else { continue }
      switch id {
      case "TIT2": metadata.title = text
      case "TPE1": metadata.artist = text
      case "TALB": metadata.album = text
      case "TPE2": metadata.albumArtist = text
      case "TCOM": metadata.composer = text
      case "TCON": metadata.genre = genre(value) ?? text
      case "TDRC": metadata.date = text
      case "TYER": year = text
      case "TDAT": dayAndMonth = text
      case "TRCK": (metadata.trackNumber, metadata.trackCount) = numbers(text)
      case "TPOS": (metadata.discNumber, metadata.discCount) = numbers(text)
      default: break
      }
    }
    // ID3v2.3 stores the year in one field and the day and month, as DDMM, in another.
    if let year, !tags.texts.contains(where: { $0.id == "TDRC" }) {
      metadata.date = year
      if year.utf8.count == 4, let dayAndMonth, dayAndMonth.utf8.count == 4 {
        metadata.date = "\(year)-\(dayAndMonth.suffix(2))-\(dayAndMonth.prefix(2))"
      }
    }
    let pictures = tags.pictures.filter { $0.mimeType != "-->" && !$0.data.isEmpty }
    if var picture = pictures.first(where: { $0.type == 3 }) ?? pictures.first {
      picture.mimeType = mimeType(of: picture)
      metadata.picture = picture
    }
  }

  /// Parses "3/12" as 3 and 12.
  private static func numbers(_ text: String) -> (Int?, Int?) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { part in
      Int(part.prefix(9).filter { $0 != " " }).flatMap { $0 > 0 ? $0 : nil }
    }
    return (parts.first ?? nil, parts.count > 1 ? parts[1] : nil)
  }

  private static func mimeType(of picture: MP3Metadata.Picture) -> String {
    if picture.data.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if picture.data.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    return picture.mimeType
  }
}
