import CCurl
import SystemSupport
import Transfer

/// libcurl's functions, looked up at first use, because local files do not need them. All calls into libcurl
/// go through this type.
struct CurlLibrary: Sendable {
  /// The names of the library in distributions, built with OpenSSL and with GnuTLS.
  static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  /// The oldest supported version, 7.85, the first with CURLOPT_PROTOCOLS_STR.
  static let oldest: UInt32 = 0x07_55_00

  typealias Handle = UnsafeMutableRawPointer
  typealias List = UnsafeMutableRawPointer

  let easyInit: @convention(c) @Sendable () -> Handle?
  let easyCleanup: @convention(c) @Sendable (Handle) -> Void
  let easyPause: @convention(c) @Sendable (Handle, Int32) -> Int32
  let multiInit: @convention(c) @Sendable () -> Handle?
  let multiCleanup: @convention(c) @Sendable (Handle) -> Int32
  let multiAdd: @convention(c) @Sendable (Handle, Handle) -> Int32
  let multiRemove: @convention(c) @Sendable (Handle, Handle) -> Int32
  let multiPerform: @convention(c) @Sendable (Handle, UnsafeMutablePointer<Int32>) -> Int32
  let multiPoll:
    @convention(c) @Sendable (Handle, UnsafeRawPointer?, UInt32, Int32, UnsafeMutablePointer<Int32>?) -> Int32
  let multiWakeup: @convention(c) @Sendable (Handle) -> Int32
  private let multiRead:
    @convention(c) @Sendable (Handle, UnsafeMutablePointer<Int32>) -> UnsafePointer<continuo_curl_message>?
  let listAppend: @convention(c) @Sendable (List?, UnsafePointer<CChar>) -> List?
  let listFree: @convention(c) @Sendable (List) -> Void
  private let easySet: Variadic
  private let easyGet: Variadic
  private let multiSet: Variadic

  private typealias Version = @convention(c) (Int32) -> UnsafePointer<continuo_curl_version>?
  private typealias Initialize = @convention(c) (Int) -> Int32

  /// A variadic C function. Swift's imported type is not Sendable, although it is a function address.
  private struct Variadic: @unchecked Sendable {
    let call: continuo_curl_variadic
  }

  /// Opens the first available library and returns its functions. Throws `noLibrary` if no library is
  /// available or if that library cannot be used, for example because it is older than 7.85.
  static func open(_ names: [String] = names) throws(TransferFailure) -> CurlLibrary {
    let failure: TransferFailure
    do throws(DynamicLibrary.Problem) {
      let library = try DynamicLibrary(names, prefix: "curl_")
      // The version is checked first, because an old library lacks some of the functions.
      let version: Version = try library.find("version_info")
      let initialize: Initialize = try library.find("global_init")
      guard let refusal = start(version, initialize) else {
        return CurlLibrary(
          easyInit: try library.find("easy_init"), easyCleanup: try library.find("easy_cleanup"),
          easyPause: try library.find("easy_pause"),
          multiInit: try library.find("multi_init"), multiCleanup: try library.find("multi_cleanup"),
          multiAdd: try library.find("multi_add_handle"),
          multiRemove: try library.find("multi_remove_handle"),
          multiPerform: try library.find("multi_perform"), multiPoll: try library.find("multi_poll"),
          multiWakeup: try library.find("multi_wakeup"), multiRead: try library.find("multi_info_read"),
          listAppend: try library.find("slist_append"), listFree: try library.find("slist_free_all"),
          easySet: Variadic(call: try library.find("easy_setopt")),
          easyGet: Variadic(call: try library.find("easy_getinfo")),
          multiSet: Variadic(call: try library.find("multi_setopt")))
      }
      failure = refusal
    } catch {
      failure = missing(
        error.function.map { "libcurl lacks \($0)" } ?? "libcurl is not installed (Debian: libcurl4)")
    }
    throw failure
  }

  /// Checks the version and initializes the library. Returns the reason why the library cannot be used; nil
  /// on success.
  private static func start(_ version: Version, _ initialize: Initialize) -> TransferFailure? {
    guard let present = version(0)?.pointee else { return missing("libcurl does not tell its version") }
    let text = present.text.map { String(cString: $0) } ?? "?"
    if let refusal = refusal(number: present.number, text: text) { return refusal }
    // 3: CURL_GLOBAL_ALL. Thread-safe from 7.84 on; a second call does nothing.
    return initialize(3) == 0 ? nil : missing("libcurl cannot be started")
  }

  static func refusal(number: UInt32, text: String) -> TransferFailure? {
    number >= oldest ? nil : missing("libcurl \(text) is too old: 7.85 or later is needed")
  }

  private static func missing(_ message: String) -> TransferFailure { TransferFailure(.noLibrary, message) }

  // MARK: Options, numbered as in curl.h and multi.h: kind times 10,000 plus number

  enum Number: Int32 {
    case verbose = 41
    case noProgress = 43
    case noBody = 44
    case upload = 46
    case netrc = 51
    case verifyPeer = 64
    case followLocation = 52
    case freshConnect = 74
    case verifyHost = 81
    case httpVersion = 84
    case noSignal = 99
    case httpAuth = 107
    case connectTimeoutMilliseconds = 156
    case certificateInfo = 172
    case tcpKeepAlive = 213
    case suppressConnectHeaders = 265
    case quickExit = 322
    /// A curl_off_t, which is a long on all supported machines.
    case bodySize = 30_115
  }

  enum Pointer: Int32 {
    case writeData = 10_001
    case url = 10_002
    case proxy = 10_004
    case readData = 10_009
    case errorBuffer = 10_010
    case httpHeader = 10_023
    case headerData = 10_029
    case customRequest = 10_036
    case progressData = 10_057
    case caInfo = 10_065
    case debugData = 10_095
    case acceptEncoding = 10_102
    case privateData = 10_103
    case http200Aliases = 10_104
    case openSocketData = 10_164
    case seekData = 10_168
    case userName = 10_173
    case password = 10_174
    case resolve = 10_203
    case connectedData = 10_313
    case protocols = 10_318
  }

  enum MultiNumber: Int32 {
    case maxTotalConnections = 13
  }

  func set(_ option: Number, _ value: Int, of easy: Handle) {
    _ = continuo_curl_set_long(easySet.call, easy, option.rawValue, value)
  }

  /// Sets a pointer option. libcurl copies strings; lists and contexts must outlive the transfer.
  func set(_ option: Pointer, _ value: UnsafeRawPointer?, of easy: Handle) {
    _ = continuo_curl_set_pointer(easySet.call, easy, option.rawValue, value)
  }

  func setFunctions(
    of easy: Handle, body: continuo_curl_receive, head: continuo_curl_receive, read: continuo_curl_receive,
    seek: continuo_curl_seek, openSocket: continuo_curl_open_socket, connected: continuo_curl_connected,
    debug: continuo_curl_debug, progress: continuo_curl_progress
  ) {
    _ = continuo_curl_set_receive(easySet.call, easy, 20_011, body)
    _ = continuo_curl_set_receive(easySet.call, easy, 20_079, head)
    _ = continuo_curl_set_receive(easySet.call, easy, 20_012, read)
    _ = continuo_curl_set_seek(easySet.call, easy, 20_167, seek)
    _ = continuo_curl_set_open_socket(easySet.call, easy, 20_163, openSocket)
    _ = continuo_curl_set_connected(easySet.call, easy, 20_312, connected)
    _ = continuo_curl_set_debug(easySet.call, easy, 20_094, debug)
    _ = continuo_curl_set_progress(easySet.call, easy, 20_219, progress)
  }

  func set(_ option: MultiNumber, _ value: Int, ofMulti multi: Handle) {
    _ = continuo_curl_set_long(multiSet.call, multi, option.rawValue, value)
  }

  /// Returns the next completed transfer with its CURLcode; nil if none is left.
  func nextEnded(_ multi: Handle) -> (easy: Handle, result: Int32)? {
    var left: Int32 = 0
    // CURLMSG_DONE is the only kind of message. The message is valid until the transfer is removed.
    guard let message = multiRead(multi, &left), message.pointee.kind == 1, let easy = message.pointee.easy
    else { return nil }
    return (easy, message.pointee.data.result)
  }

  func privateData(of easy: Handle) -> UnsafeMutableRawPointer? {
    var pointer: UnsafeMutableRawPointer?
    // CURLINFO_PRIVATE: CURLINFO_STRING (0x100000) + 21
    _ = continuo_curl_get_pointer(easyGet.call, easy, 0x10_0000 + 21, &pointer)
    return pointer
  }

  /// Returns the certificates (PEM) that the server has presented on a new connection, its own first.
  func certificates(of easy: Handle) -> [String] {
    var pointer: UnsafeMutableRawPointer?
    // CURLINFO_CERTINFO: CURLINFO_PTR (0x400000) + 34
    _ = continuo_curl_get_pointer(easyGet.call, easy, 0x40_0000 + 34, &pointer)
    guard let chain = pointer?.assumingMemoryBound(to: continuo_curl_certificates.self).pointee,
      let lists = chain.lists
    else { return [] }
    return (0..<Int(chain.count)).compactMap { index in
      var line = lists[index]
      while let present = line?.pointee {
        let text = present.text.map { String(cString: $0) } ?? ""
        if text.hasPrefix("Cert:") { return String(text.dropFirst("Cert:".count)) }
        line = present.next
      }
      return nil
    }
  }

  /// Facts about a transfer. The numbers are those of CURLINFO_LONG.
  enum Info: Int32 {
    /// The status of a proxy's response to a tunnel request; 0 without a request or response.
    case tunnelStatus = 22
    /// The `errno` of the last failed connection; 0 if none failed.
    case systemError = 25
    /// The number of new connections for the transfer; 0 if it reused one.
    case connectionCount = 26
  }

  func number(_ info: Info, of easy: Handle) -> Int {
    var number = 0
    _ = continuo_curl_get_long(easyGet.call, easy, 0x20_0000 + info.rawValue, &number)
    return number
  }

  /// Times of a transfer. The numbers are those of CURLINFO_OFF_T.
  enum Time: Int32 {
    case nameLookup = 51
    case connect = 52
    case preTransfer = 53
    case startTransfer = 54
    case appConnect = 56
  }

  /// Returns the seconds from the start of a transfer to `time`; 0 if `time` has not occurred.
  func seconds(_ time: Time, of easy: Handle) -> Double {
    // libcurl returns microseconds in a curl_off_t, which is a long on all supported machines.
    var number = 0
    _ = continuo_curl_get_long(easyGet.call, easy, 0x60_0000 + time.rawValue, &number)
    return Double(number) / 1e6
  }
}
