import Glibc
import SystemSupport

/// A libsystemd connection, which is closed and freed when the handle is dropped. The handle must be dropped
/// on the queue that uses the connection.
struct BusHandle: ~Copyable {
  let calls: SystemdLibrary
  let pointer: OpaquePointer

  /// Starts connecting to `address`; nil selects the user's session bus by the rules of libsystemd
  /// (`DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`). Does not wait for the server.
  init(_ calls: SystemdLibrary, address: String?) throws(BusError) {
    var made: OpaquePointer?
    let code = address == nil ? calls.openUser(&made) : calls.new(&made)
    guard code >= 0, let made else { throw .disconnected(SystemError.message(-code)) }
    if let address {
      let steps = [calls.setAddress(made, address), calls.setBusClient(made, 1), calls.start(made)]
      if let failure = steps.first(where: { $0 < 0 }) {
        _ = calls.unref(made)
        throw [-ECONNRESET, -EPIPE].contains(failure)
          ? .endedAtOnce : .disconnected(SystemError.message(-failure))
      }
    }
    self.calls = calls
    pointer = made
  }

  deinit {
    calls.close(pointer)
    _ = calls.unref(pointer)
  }
}

struct MessageHandle: ~Copyable {
  let calls: SystemdLibrary
  let pointer: OpaquePointer

  /// The maximum number of values read from one message, and their maximum nesting depth.
  private static let readLimit = 1000
  private static let depthLimit = 8

  init(_ calls: SystemdLibrary, borrowed: OpaquePointer) {
    self.calls = calls
    pointer = borrowed
    _ = calls.messageRef(borrowed)
  }

  /// Creates a message by `make`. Throws `invalid` if that fails, for example for a malformed name or path.
  private init(_ calls: SystemdLibrary, _ make: (SystemdLibrary.Result) -> Int32) throws(BusError) {
    var made: OpaquePointer?
    let code = make(&made)
    guard code >= 0, let made else { throw .invalid(SystemError.message(-code)) }
    self.calls = calls
    pointer = made
  }

  deinit { _ = calls.messageUnref(pointer) }

  private static func message(
    _ calls: SystemdLibrary, _ values: [BusValue], _ make: (SystemdLibrary.Result) -> Int32
  ) throws(BusError) -> MessageHandle {
    let message = try MessageHandle(calls, make)
    for value in values { try message.append(value) }
    return message
  }

  static func call(
    _ calls: SystemdLibrary, _ bus: OpaquePointer, _ call: BusMessage
  ) throws(BusError) -> MessageHandle {
    try message(calls, call.arguments) {
      calls.newCall(bus, $0, call.destination, call.path, call.interface, call.member)
    }
  }

  static func signal(
    _ calls: SystemdLibrary, _ bus: OpaquePointer, _ signal: BusMessage
  ) throws(BusError) -> MessageHandle {
    try message(calls, signal.arguments) {
      calls.newSignal(bus, $0, signal.path, signal.interface, signal.member)
    }
  }

  /// Returns the reply to this call. If the call expects no reply, libsystemd drops the reply on sending.
  func reply(_ result: Result<[BusValue], BusError>) throws(BusError) -> MessageHandle {
    switch result {
    case .success(let values): try Self.message(calls, values) { calls.newReturn(pointer, $0) }
    case .failure(let error):
      try MessageHandle(calls) { made in
        error.name.withCString { name in
          error.message.withCString { message in calls.newError(pointer, made, [name, message, nil]) }
        }
      }
    }
  }

  // MARK: Writing

  private func append(_ value: BusValue) throws(BusError) {
    switch value {
    case .bool(let flag): try append("b", Int32(flag ? 1 : 0))
    case .int32(let number): try append("i", number)
    case .uint16(let number): try append("q", number)
    case .uint32(let number): try append("u", number)
    case .int64(let number): try append("x", number)
    case .uint64(let number): try append("t", number)
    case .double(let number): try append("d", number)
    case .string(let text): try append("s", text)
    case .objectPath(let path): try append("o", path)
    case .strings(let texts):
      try open("a", "s")
      for text in texts { try append("s", text) }
      try close()
    case .byteArrays(let arrays):
      try open("a", "ay")
      for bytes in arrays {
        try open("a", "y")
        for byte in bytes { try append("y", byte) }
        try close()
      }
      try close()
    case .dictionary(let values):
      try open("a", "{sv}")
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        try open("e", "sv")
        try append("s", key)
        try append(.variant(value))
        try close()
      }
      try close()
    case .variant(let value):
      try open("v", value.signature)
      try append(value)
      try close()
    }
  }

  private func append(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
    try check(text.withCString { calls.appendBasic(pointer, CChar(type.value), $0) })
  }

  private func append<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ number: Number) throws(BusError) {
    try check(
      withUnsafeBytes(of: number) { bytes in
        bytes.baseAddress.map { calls.appendBasic(pointer, CChar(type.value), $0) } ?? -EINVAL
      })
  }

  private func open(_ type: Unicode.Scalar, _ contents: String) throws(BusError) {
    try check(calls.openContainer(pointer, CChar(type.value), contents))
  }

  private func close() throws(BusError) { try check(calls.closeContainer(pointer)) }

  private func check(_ code: Int32) throws(BusError) {
    if code < 0 { throw .invalid(SystemError.message(-code)) }
  }

  // MARK: Reading

  /// The kind of a message, with D-Bus's values from 1 on.
  enum Kind: UInt8 { case call = 1, reply, failure, signal }

  /// The kind of the message; nil for kinds unknown to D-Bus.
  var kind: Kind? {
    var type: UInt8 = 0
    _ = calls.getType(pointer, &type)
    return Kind(rawValue: type)
  }

  var error: BusError? {
    guard kind == .failure, let fields = calls.getError(pointer), let name = fields[0] else { return nil }
    return BusError(
      name: String(cString: name), message: fields[1].map { String(cString: $0) } ?? "no explanation")
  }

  /// Reads the message and returns its content, up to the first argument that is above a limit or whose type
  /// `BusValue` does not support. Must be called only once.
  func read() -> BusMessage {
    func text(_ function: (OpaquePointer) -> SystemdLibrary.Name?) -> String {
      function(pointer).map { String(cString: $0) } ?? ""
    }
    var left = Self.readLimit
    var values: [BusValue] = []
    while let value = readValue(depth: 0, left: &left) { values.append(value) }
    var message = BusMessage(
      path: text(calls.getPath), interface: text(calls.getInterface), member: text(calls.getMember),
      arguments: values)
    message.signature = text { calls.getSignature($0, 1) }
    return message
  }

  private func readValue(depth: Int, left: inout Int) -> BusValue? {
    guard depth < Self.depthLimit, left > 0, let (type, contents) = peek() else { return nil }
    left -= 1
    switch Character(Unicode.Scalar(UInt8(bitPattern: type))) {
    case "b": return basic(type, Int32(0)).map { .bool($0 != 0) }
    case "i": return basic(type, Int32(0)).map { .int32($0) }
    case "q": return basic(type, UInt16(0)).map { .uint16($0) }
    case "u": return basic(type, UInt32(0)).map { .uint32($0) }
    case "x": return basic(type, Int64(0)).map { .int64($0) }
    case "t": return basic(type, UInt64(0)).map { .uint64($0) }
    case "d": return basic(type, 0.0).map { .double($0) }
    case "s": return text(type).map { .string($0) }
    case "o": return text(type).map { .objectPath($0) }
    case "v": return inside { readValue(depth: depth + 1, left: &left) }.map { .variant($0) }
    case "a":
      switch contents {
      case "s": return list { readValue(depth: depth + 1, left: &left)?.text }.map { .strings($0) }
      case "ay": return list { readBytes(left: &left) }.map { .byteArrays($0) }
      case "{sv}":
        return list { readEntry(depth: depth + 1, left: &left) }
          .map { .dictionary(Dictionary($0) { $1 }) }
      default: return nil
      }
    default: return nil
    }
  }

  private func readBytes(left: inout Int) -> [UInt8]? {
    list {
      guard left > 0, let byte = basic(CChar(UInt8(ascii: "y")), UInt8(0)) else { return nil }
      left -= 1
      return byte
    }
  }

  private func readEntry(depth: Int, left: inout Int) -> (String, BusValue)? {
    inside {
      guard let key = readValue(depth: depth, left: &left)?.text,
        case .variant(let value)? = readValue(depth: depth, left: &left)
      else { return nil }
      return (key, value)
    }
  }

  private func basic<Number: BitwiseCopyable>(_ type: CChar, _ zero: Number) -> Number? {
    var number = zero
    let code = withUnsafeMutableBytes(of: &number) { bytes in
      bytes.baseAddress.map { calls.readBasic(pointer, type, $0) } ?? -EINVAL
    }
    return code > 0 ? number : nil
  }

  private func text(_ type: CChar) -> String? {
    var text: SystemdLibrary.Name?
    guard calls.readBasic(pointer, type, &text) > 0 else { return nil }
    return text.map { String(cString: $0) }
  }

  /// Returns the type of the next value and, for a container, the types of its contents; nil after the last
  /// value.
  private func peek() -> (type: CChar, contents: String?)? {
    var type: CChar = 0
    var contents: SystemdLibrary.Name?
    guard calls.peekType(pointer, &type, &contents) > 0 else { return nil }
    // The library's text is valid only until the next peek.
    return (type, contents.map { String(cString: $0) })
  }

  /// Enters the next value, a container, and returns the result of `body`, which must read all its contents.
  /// Returns nil on failure.
  private func inside<Result>(_ body: () -> Result?) -> Result? {
    guard let (type, contents) = peek(), calls.enterContainer(pointer, type, contents) > 0 else { return nil }
    let result = body()
    // Fails if unread values remain; subsequent values are then unreadable too.
    return calls.exitContainer(pointer) >= 0 ? result : nil
  }

  private func list<Element>(_ next: () -> Element?) -> [Element]? {
    inside {
      var elements: [Element] = []
      while let element = next() { elements.append(element) }
      return elements
    }
  }
}
