import Glibc
import MusicFiles

/// The arguments as the system passed them.
enum RawArguments {
  /// The bytes of an argument that the parser has as `text`. Swift replaces what is not UTF-8 in an argument, and the
  /// file of that name could not be found any more; the argument that reads the same is looked up here instead.
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
