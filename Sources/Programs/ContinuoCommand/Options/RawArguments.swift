import Glibc
import MusicFiles

/// The process's arguments in their original bytes.
enum RawArguments {
  /// Returns the bytes of an argument that the parser has as `text`. Swift replaces invalid UTF-8 in
  /// arguments, and a file could not be found by the replaced name. So the original argument with the same
  /// text is looked up.
  static func bytes(
    of text: String, count: Int32 = CommandLine.argc,
    vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv
  ) -> MediaPath {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return MediaPath(text) }
    for index in 0..<Int(count) {
      guard let argument = vector[index], String(cString: argument) == text else { continue }
      let length = UnsafeBufferPointer(start: argument, count: Int(strlen(argument)))
      return MediaPath(bytes: length.map { UInt8(bitPattern: $0) })
    }
    return MediaPath(text)
  }
}
