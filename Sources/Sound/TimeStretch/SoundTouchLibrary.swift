import AudioCore
import Glibc
import SystemSupport

/// SoundTouch's C interface, `libSoundTouchDll`, loaded on first use, so that playback at rate 1 neither
/// needs nor loads it. All calls into the library are in this file.
///
/// No Debian package contains the header, so the function types are declared here, from SoundTouchDLL.h of
/// 2.3.2. They are the same in all versions with the library's version number 1.
struct SoundTouchLibrary: Sendable {
  typealias Handle = UnsafeMutableRawPointer
  typealias SetCount = @convention(c) @Sendable (Handle?, UInt32) -> Int32
  typealias SetRatio = @convention(c) @Sendable (Handle?, Float) -> Void

  let create: @convention(c) @Sendable () -> Handle?
  let destroy: @convention(c) @Sendable (Handle?) -> Void
  let setChannels, setSampleRate: SetCount
  let setTempo, setRate: SetRatio
  let setSetting: @convention(c) @Sendable (Handle?, Int32, Int32) -> Int32
  let put: @convention(c) @Sendable (Handle?, UnsafePointer<Float>?, UInt32) -> Int32
  let receive: @convention(c) @Sendable (Handle?, UnsafeMutablePointer<Float>?, UInt32) -> UInt32

  static func open(_ name: String) throws(TimeStretchError) -> SoundTouchLibrary {
    // Debian's libSoundTouch 2.3.2 is built with -ffast-math. Loading it makes the calling thread, and
    // threads started by it, flush denormal numbers to zero, so the floating-point environment is restored
    // afterwards.
    var environment = fenv_t()
    fegetenv(&environment)
    defer { fesetenv(&environment) }
    do throws(DynamicLibrary.Problem) {
      let library = try DynamicLibrary([name], prefix: "soundtouch_")
      return SoundTouchLibrary(
        create: try library.find("createInstance"), destroy: try library.find("destroyInstance"),
        setChannels: try library.find("setChannels"), setSampleRate: try library.find("setSampleRate"),
        setTempo: try library.find("setTempo"), setRate: try library.find("setRate"),
        setSetting: try library.find("setSetting"), put: try library.find("putSamples"),
        receive: try library.find("receiveSamples"))
    } catch {
      let need = "rates other than 1 need SoundTouch (Debian's package libsoundtouch1)"
      throw TimeStretchError(error.text(need: need, library: "SoundTouch"))
    }
  }
}

struct SoundTouchHandle: ~Copyable {
  /// The setting identifiers from SoundTouch.h.
  enum Setting: Int32 {
    case usesAntiAliasFilter = 0
    case sequenceMilliseconds = 3
    case seekWindowMilliseconds = 4
    case overlapMilliseconds = 5
  }

  private let library: SoundTouchLibrary
  private let pointer: UnsafeMutableRawPointer

  /// The highest sample rate that SoundTouch 2.3.2 accepts. It determines only the length of the sequences, so
  /// sound of a higher rate is stretched in shorter ones.
  private static let highestSampleRate = 192_000

  /// Creates an instance for sound of `format`. Throws if memory is exhausted or SoundTouch refuses the format.
  init(_ library: SoundTouchLibrary, format: PCMFormat) throws(TimeStretchError) {
    guard let pointer = library.create() else { throw TimeStretchError("SoundTouch has no memory") }
    guard library.setChannels(pointer, UInt32(format.channelCount)) != 0,
      library.setSampleRate(pointer, UInt32(min(format.sampleRate, Self.highestSampleRate))) != 0
    else {
      library.destroy(pointer)
      throw TimeStretchError(
        "SoundTouch refuses sound of \(format.channelCount) channels at \(format.sampleRate) Hz")
    }
    self.library = library
    self.pointer = pointer
  }

  deinit { library.destroy(pointer) }

  /// Sets the speed without changing the pitch.
  func setTempo(_ speed: Double) { library.setTempo(pointer, Float(speed)) }

  /// Sets the speed together with the pitch.
  func setRate(_ speed: Double) { library.setRate(pointer, Float(speed)) }

  func set(_ setting: Setting, to value: Int32) { _ = library.setSetting(pointer, setting.rawValue, value) }

  func put(_ samples: UnsafePointer<Float>, frames: Int) { _ = library.put(pointer, samples, UInt32(frames)) }

  func receive(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    Int(library.receive(pointer, samples, UInt32(frames)))
  }
}
