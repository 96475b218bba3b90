import Glibc

/// Expat's functions, looked up when they are first used: programs that read no XML neither need nor load the
/// library. All calls into it are in this file.
///
/// The declarations are those of expat.h, and the same in all versions with the library's major number 1.
struct ExpatLibrary: Sendable {
  typealias Text = UnsafePointer<CChar>
  typealias Start =
    @convention(c) (UnsafeMutableRawPointer?, Text?, UnsafeMutablePointer<Text?>?) -> Void
  typealias End = @convention(c) (UnsafeMutableRawPointer?, Text?) -> Void
  typealias Characters = @convention(c) (UnsafeMutableRawPointer?, Text?, Int32) -> Void
  typealias Doctype = @convention(c) (UnsafeMutableRawPointer?, Text?, Text?, Text?, Int32) -> Void

  let create: @convention(c) @Sendable (Text?) -> OpaquePointer?
  let free: @convention(c) @Sendable (OpaquePointer) -> Void
  let setUserData: @convention(c) @Sendable (OpaquePointer, UnsafeMutableRawPointer?) -> Void
  let setElementHandler: @convention(c) @Sendable (OpaquePointer, Start?, End?) -> Void
  let setCharacterHandler: @convention(c) @Sendable (OpaquePointer, Characters?) -> Void
  let setDoctypeHandler: @convention(c) @Sendable (OpaquePointer, Doctype?) -> Void
  let parse: @convention(c) @Sendable (OpaquePointer, UnsafePointer<UInt8>?, Int32, Int32) -> Int32
  let stop: @convention(c) @Sendable (OpaquePointer, UInt8) -> Int32
  let errorCode: @convention(c) @Sendable (OpaquePointer) -> Int32
  let errorString: @convention(c) @Sendable (Int32) -> Text?
  let lineNumber: @convention(c) @Sendable (OpaquePointer) -> UInt

  /// Opens the library, which is never closed: another thread may be running its code.
  static func open(_ name: String = "libexpat.so.1") throws(XMLProblem) -> ExpatLibrary {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw XMLProblem(line: nil, reason: "XML needs Expat (Debian's package libexpat1): \(lastError)")
    }
    // The type comes from the property that is set, and matches expat.h's function of that name.
    func find<Function>(_ name: String) throws(XMLProblem) -> Function {
      guard let symbol = dlsym(library, "XML_" + name) else {
        throw XMLProblem(line: nil, reason: "Expat cannot be used: \(lastError)")
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
    return ExpatLibrary(
      create: try find("ParserCreate"), free: try find("ParserFree"), setUserData: try find("SetUserData"),
      setElementHandler: try find("SetElementHandler"),
      setCharacterHandler: try find("SetCharacterDataHandler"),
      setDoctypeHandler: try find("SetStartDoctypeDeclHandler"), parse: try find("Parse"),
      stop: try find("StopParser"), errorCode: try find("GetErrorCode"),
      errorString: try find("ErrorString"), lineNumber: try find("GetCurrentLineNumber"))
  }

  private static var lastError: String { dlerror().map { String(cString: $0) } ?? "no reason given" }
}

/// A parser of one document.
struct ExpatHandle: ~Copyable {
  private let library: ExpatLibrary
  private let pointer: OpaquePointer

  /// Creates a parser that calls `reading`, which must outlive it. Throws if memory is exhausted.
  init(_ library: ExpatLibrary, for reading: XMLEvents) throws(XMLProblem) {
    guard let pointer = library.create(nil) else {
      throw XMLProblem(line: nil, reason: "Expat has no memory")
    }
    self.library = library
    self.pointer = pointer
    reading.line = { Int(library.lineNumber(pointer)) }
    reading.stop = { _ = library.stop(pointer, 0) }
    library.setUserData(pointer, Unmanaged.passUnretained(reading).toOpaque())
    library.setElementHandler(
      pointer,
      { data, name, attributes in
        guard let reading = ExpatHandle.reading(data), let name else { return }
        var values: [String: String] = [:]
        var next = attributes
        // The array has pairs of a name and a value, and ends with a null pointer.
        while let pair = next, let key = pair[0], let value = pair[1] {
          values[String(cString: key)] = String(cString: value)
          next = pair + 2
        }
        reading.began(String(cString: name), values)
      }, { data, _ in ExpatHandle.reading(data)?.ended() })
    library.setCharacterHandler(pointer) { data, text, count in
      guard let text else { return }
      ExpatHandle.reading(data)?.read(
        UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    library.setDoctypeHandler(pointer) { data, _, _, _, _ in ExpatHandle.reading(data)?.doctype() }
  }

  deinit { library.free(pointer) }

  private static func reading(_ data: UnsafeMutableRawPointer?) -> XMLEvents? {
    data.map { Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Parses a piece of the document. Returns Expat's message if the piece is not XML.
  func parse(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> String? {
    guard library.parse(pointer, bytes.baseAddress, Int32(bytes.count), isLast ? 1 : 0) == 0 else {
      return nil
    }
    return library.errorString(library.errorCode(pointer)).map { String(cString: $0) } ?? "not XML"
  }
}
