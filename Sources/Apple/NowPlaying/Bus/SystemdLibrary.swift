import SystemSupport

/// The D-Bus functions of libsystemd, with the types of its C header. The interface is stable; all these
/// functions exist since version 221 (2015).
struct SystemdLibrary: Sendable {
  typealias Name = UnsafePointer<CChar>
  typealias Result = UnsafeMutablePointer<OpaquePointer?>
  /// The C type `sd_bus_error`: its first two fields are pointers to a name and a message.
  typealias ErrorFields = UnsafePointer<Name?>
  typealias Handler =
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32

  let new, openUser: @convention(c) (Result) -> Int32
  let setAddress: @convention(c) (OpaquePointer, Name) -> Int32
  let setBusClient: @convention(c) (OpaquePointer, Int32) -> Int32
  let start, isOpen, getFD, getEvents, closeContainer, exitContainer: @convention(c) (OpaquePointer) -> Int32
  let close: @convention(c) (OpaquePointer) -> Void
  let unref, messageRef, messageUnref: @convention(c) (OpaquePointer) -> OpaquePointer?
  let getTimeout: @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt64>) -> Int32
  let process: @convention(c) (OpaquePointer, Result?) -> Int32
  let addFilter: @convention(c) (OpaquePointer, Result?, Handler, UnsafeMutableRawPointer?) -> Int32
  let send: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutablePointer<UInt64>?) -> Int32
  let callAsync:
    @convention(c) (OpaquePointer, Result?, OpaquePointer, Handler, UnsafeMutableRawPointer?, UInt64) -> Int32

  let newCall: @convention(c) (OpaquePointer, Result, Name?, Name, Name?, Name) -> Int32
  let newSignal: @convention(c) (OpaquePointer, Result, Name, Name, Name) -> Int32
  let newReturn: @convention(c) (OpaquePointer, Result) -> Int32
  let newError: @convention(c) (OpaquePointer, Result, ErrorFields) -> Int32
  let getType: @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt8>) -> Int32
  let getSignature: @convention(c) (OpaquePointer, Int32) -> Name?
  let getPath, getInterface, getMember: @convention(c) (OpaquePointer) -> Name?
  let getError: @convention(c) (OpaquePointer) -> ErrorFields?
  let appendBasic: @convention(c) (OpaquePointer, CChar, UnsafeRawPointer) -> Int32
  let openContainer: @convention(c) (OpaquePointer, CChar, Name) -> Int32
  let readBasic: @convention(c) (OpaquePointer, CChar, UnsafeMutableRawPointer) -> Int32
  let enterContainer: @convention(c) (OpaquePointer, CChar, Name?) -> Int32
  let peekType:
    @convention(c) (OpaquePointer, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Name?>) -> Int32

  /// The loaded library; nil if it is missing or lacks a function. The first access takes some hundred
  /// microseconds.
  static let loaded = try? SystemdLibrary()

  private init() throws(DynamicLibrary.Problem) {
    let library = try DynamicLibrary(["libsystemd.so.0"], prefix: "sd_bus_")
    new = try library.find("new")
    setAddress = try library.find("set_address")
    setBusClient = try library.find("set_bus_client")
    start = try library.find("start")
    openUser = try library.find("open_user")
    close = try library.find("close")
    unref = try library.find("unref")
    isOpen = try library.find("is_open")
    getFD = try library.find("get_fd")
    getEvents = try library.find("get_events")
    getTimeout = try library.find("get_timeout")
    process = try library.find("process")
    addFilter = try library.find("add_filter")
    send = try library.find("send")
    callAsync = try library.find("call_async")
    newCall = try library.find("message_new_method_call")
    newSignal = try library.find("message_new_signal")
    newReturn = try library.find("message_new_method_return")
    newError = try library.find("message_new_method_error")
    messageRef = try library.find("message_ref")
    messageUnref = try library.find("message_unref")
    getType = try library.find("message_get_type")
    getSignature = try library.find("message_get_signature")
    getPath = try library.find("message_get_path")
    getInterface = try library.find("message_get_interface")
    getMember = try library.find("message_get_member")
    getError = try library.find("message_get_error")
    appendBasic = try library.find("message_append_basic")
    openContainer = try library.find("message_open_container")
    closeContainer = try library.find("message_close_container")
    readBasic = try library.find("message_read_basic")
    enterContainer = try library.find("message_enter_container")
    exitContainer = try library.find("message_exit_container")
    peekType = try library.find("message_peek_type")
  }
}
