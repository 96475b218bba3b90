import Glibc
import MusicFiles
import Transfer

enum RawArguments {
  /// Returns the original bytes of the first argument that Swift shows as `text`; else those of `text`, as
  /// for `--option=text`. Swift replaces invalid UTF-8 in arguments, which changes the names of files.
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
      return String(decoding: WebURL.withoutCredentials(Array(argument.utf8)), as: UTF8.self)
    }
  }
}

enum ProcessEnvironment {
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Standard input, output and error, whether or not the caller left them open.
enum StandardDescriptors {
  /// Opens each closed descriptor in the range without access to anything. Otherwise the next opened file
  /// would get its number, and a message could land in the WAV file or in the server's socket. Call before
  /// anything is opened.
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
