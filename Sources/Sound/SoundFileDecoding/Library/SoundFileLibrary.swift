import AudioCore
import CSoundFile
import Synchronization
import SystemSupport

/// libsndfile's functions, looked up when the first file needs them. All calls into it are in this file. The
/// declarations are those of sndfile.h, and the same in all versions with the library's major number 1.
///
/// libpulse depends on libsndfile, so a program that has loaded libpulse has already loaded libsndfile and
/// its codecs.
struct SoundFileLibrary: Sendable {
  typealias Text = UnsafePointer<CChar>

  let open:
    @convention(c) @Sendable (
      UnsafeMutablePointer<continuo_sound_io>?, Int32, UnsafeMutablePointer<continuo_sound_info>?,
      UnsafeMutableRawPointer?
    ) -> OpaquePointer?
  let close: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let readFrames: @convention(c) @Sendable (OpaquePointer?, UnsafeMutablePointer<Float>?, Int64) -> Int64
  let seek: @convention(c) @Sendable (OpaquePointer?, Int64, Int32) -> Int64
  let error: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let errorText: @convention(c) @Sendable (OpaquePointer?) -> Text?
  let command: @convention(c) @Sendable (OpaquePointer?, Int32, UnsafeMutableRawPointer?, Int32) -> Int32

  private static let loaded = Mutex<SoundFileLibrary?>(nil)

  /// Returns the library, loaded at the first call. A failed attempt is repeated at the next call.
  static func load(for kind: SoundFileKind) throws(DecodingError) -> SoundFileLibrary {
    // Opened outside of the lock, because opening reads the disk. Two threads may both open it.
    if let library = loaded.withLock({ $0 }) { return library }
    let library = try openLibrary(for: kind)
    loaded.withLock { $0 = library }
    return library
  }

  private static func openLibrary(for kind: SoundFileKind) throws(DecodingError) -> SoundFileLibrary {
    do throws(DynamicLibrary.Problem) {
      let library = try DynamicLibrary(["libsndfile.so.1"], prefix: "sf_")
      return SoundFileLibrary(
        open: try library.find("open_virtual"), close: try library.find("close"),
        readFrames: try library.find("readf_float"), seek: try library.find("seek"),
        error: try library.find("error"), errorText: try library.find("strerror"),
        command: try library.find("command"))
    } catch {
      let need = "\(kind.name) files need libsndfile (Debian's package libsndfile1)"
      throw DecodingError(reason: .unsupported, message: error.text(need: need, library: "libsndfile") + ".")
    }
  }
}

/// A sound file that libsndfile has opened. Must be used by one thread at a time.
struct SoundFileHandle: ~Copyable {
  private static let readMode: Int32 = 0x10
  private static let channelMapCommand: Int32 = 0x1100

  private let library: SoundFileLibrary
  private let pointer: OpaquePointer
  /// The bytes that the callbacks read; the library has an unretained reference to them.
  let file: VirtualFile
  let frameCount: Int64
  let sampleRate: Int
  let channelCount: Int

  /// Opens `file` at its beginning; nil if the library refuses it. If bytes were missing, `file.missing` has
  /// their offset.
  init?(_ library: SoundFileLibrary, _ file: VirtualFile) {
    var io = continuo_sound_io(
      length: { VirtualFile.at($0)?.length ?? 0 },
      seek: { VirtualFile.at($2)?.seek($0, origin: $1) ?? -1 },
      read: { VirtualFile.at($2)?.read(into: $0, count: $1) ?? 0 },
      write: { _, _, _ in 0 },
      tell: { VirtualFile.at($0)?.position ?? -1 })
    var info = continuo_sound_info()
    let context = Unmanaged.passUnretained(file).toOpaque()
    guard let pointer = library.open(&io, Self.readMode, &info, context) else { return nil }
    self.library = library
    self.pointer = pointer
    self.file = file
    frameCount = info.frames
    sampleRate = Int(info.rate)
    channelCount = Int(info.channels)
  }

  deinit { _ = library.close(pointer) }

  /// Reads up to `count` frames of all channels and returns their number; 0 at the end, or if an error
  /// prevents reading.
  func read(into samples: UnsafeMutablePointer<Float>, count: Int) -> Int {
    Int(max(0, library.readFrames(pointer, samples, Int64(count))))
  }

  /// Whether the last call reported an error, such as a damaged frame.
  var hasError: Bool { library.error(pointer) != 0 }

  /// Moves to `frame`. Returns false if that is impossible.
  func seek(to frame: Int64) -> Bool { library.seek(pointer, frame, 0) == frame }

  /// The position of each channel by its number in sndfile.h; nil if the file does not specify them.
  var channelMap: [Int32]? {
    var map = [Int32](repeating: 0, count: channelCount)
    let size = Int32(channelCount * MemoryLayout<Int32>.size)
    return library.command(pointer, Self.channelMapCommand, &map, size) == 1 ? map : nil
  }
}

extension SoundFileLibrary {
  /// The reason why the last call of `open` in this process failed.
  var refusal: String { errorText(nil).map { String(cString: $0) } ?? "no reason given" }
}
