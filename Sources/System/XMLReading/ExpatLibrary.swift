import SystemSupport

/// Expat's functions, looked up when they are first used, so that programs that read no XML neither need nor
/// load the library. All calls into the library are in this file. The declarations are those of expat.h, and
/// the same in all versions with the library's major number 1.
struct ExpatLibrary: Sendable {
  typealias Text = UnsafePointer<CChar>
  typealias Start = @convention(c) (UnsafeMutableRawPointer?, Text?, UnsafeMutablePointer<Text?>?) -> Void
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

  static func open(_ name: String = "libexpat.so.1") throws(XMLProblem) -> ExpatLibrary {
    do throws(DynamicLibrary.Problem) {
      let library = try DynamicLibrary([name], prefix: "XML_")
      return ExpatLibrary(
        create: try library.find("ParserCreate"), free: try library.find("ParserFree"),
        setUserData: try library.find("SetUserData"),
        setElementHandler: try library.find("SetElementHandler"),
        setCharacterHandler: try library.find("SetCharacterDataHandler"),
        setDoctypeHandler: try library.find("SetStartDoctypeDeclHandler"), parse: try library.find("Parse"),
        stop: try library.find("StopParser"), errorCode: try library.find("GetErrorCode"),
        errorString: try library.find("ErrorString"), lineNumber: try library.find("GetCurrentLineNumber"))
    } catch {
      throw XMLProblem(
        line: nil, reason: error.text(need: "XML needs Expat (Debian's package libexpat1)", library: "Expat"))
    }
  }
}

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
      ExpatHandle.reading(data)?.read(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    library.setDoctypeHandler(pointer) { data, _, _, _, _ in ExpatHandle.reading(data)?.doctype() }
  }

  deinit { library.free(pointer) }

  private static func reading(_ data: UnsafeMutableRawPointer?) -> XMLEvents? {
    data.map { Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Parses a piece of the document. Returns Expat's message if parsing failed or was stopped.
  func parse(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> String? {
    guard library.parse(pointer, bytes.baseAddress, Int32(bytes.count), isLast ? 1 : 0) == 0 else {
      return nil
    }
    return library.errorString(library.errorCode(pointer)).map { String(cString: $0) } ?? "not XML"
  }
}
