import Glibc
import MusicFiles
import Transfer

/// Text forms of command-line arguments, which may contain any bytes. Swift replaces invalid UTF-8 in arguments,
/// which changes the names of files. In these texts, each invalid byte is U+FFFD followed by an invisible variation
/// selector that encodes the byte.
enum RawArguments {
  /// The arguments of the process, without its name.
  static let all = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
    CommandLine.unsafeArgv[index].map { argument in
      text(of: UnsafeBufferPointer(start: argument, count: strlen(argument)).map(UInt8.init(bitPattern:)))
    }
  }

  private static let replacement: Unicode.Scalar = "\u{FFFD}"
  /// The variation selectors that encode the bytes 0x80…0xFF.
  private static let selectors: ClosedRange<Unicode.Scalar> = "\u{E0100}"..."\u{E017F}"

  static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) {
      // Valid text that contains such a pair is encoded too, because `bytes(of:)` would decode the pair to an
      // invalid byte.
      var isReplaced = false
      let isAmbiguous = text.unicodeScalars.contains { scalar in
        defer { isReplaced = scalar == replacement }
        return isReplaced && selectors.contains(scalar)
      }
      if !isAmbiguous { return text }
    }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      var (iterator, parser) = (rest.makeIterator(), Unicode.UTF8.ForwardParser())
      if case .valid(let units) = parser.parseScalar(from: &iterator),
        case let scalar = Unicode.UTF8.decode(units), scalar != replacement
      {
        text.append(scalar)
        rest = rest.dropFirst(units.count)
      } else if let selector = Unicode.Scalar(selectors.lowerBound.value + UInt32(byte & 0x7F)) {
        text += [replacement, selector]
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// Returns the bytes of an argument, or of a part of one, such as the value of `--option=value`.
  static func bytes(of text: String) -> MediaPath {
    guard text.unicodeScalars.contains(replacement) else { return MediaPath(text) }
    var bytes: [UInt8] = []
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == replacement, let selector = scalars.first, selectors.contains(selector) {
        bytes.append(0x80 | UInt8(selector.value - selectors.lowerBound.value))
        scalars.removeFirst()
      } else {
        bytes += UTF8.encode(scalar).map { Array($0) } ?? []
      }
    }
    return MediaPath(bytes: bytes)
  }

  /// Returns arguments for the records of a run, which others may read: URLs without credentials and query,
  /// and the fields of `--header` without their values.
  static func forRecords(_ arguments: some Sequence<String> = CommandLine.arguments.dropFirst()) -> [String] {
    var isHeader = false
    return arguments.map { argument in
      defer { isHeader = argument == "--header" }
      if isHeader || argument.hasPrefix("--header="), let colon = argument.firstIndex(of: ":") {
        return argument[...colon] + " …"
      }
      if let (url, _) = try? WebURL.read(argument) { return url.textForMessages }
      return WebURL.withoutCredentials(argument)
    }
  }
}

enum ProcessEnvironment {
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// The descriptors of standard input, output and error. The parent process may have closed some of them.
enum StandardDescriptors {
  /// Opens each closed descriptor in the range on `/dev/null`. Otherwise the next opened file would get its
  /// number, and a message could land in the WAV file or in the server's socket. Call before any file or
  /// socket is opened.
  static func reserve(_ descriptors: ClosedRange<Int32> = STDIN_FILENO...STDERR_FILENO) {
    for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 {
      // The opposite access mode makes reads of input and writes of output fail, as with a closed descriptor.
      let nothing = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
      guard nothing >= 0, nothing != descriptor else { continue }
      dup2(nothing, descriptor)
      close(nothing)
    }
  }
}
