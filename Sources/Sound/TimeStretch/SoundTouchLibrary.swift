import AudioCore
import Glibc

/// SoundTouch's C interface, `libSoundTouchDll`, loaded on first use: playback at rate 1 neither needs nor
/// loads it. All calls into the library are in this file.
///
/// No Debian package contains the header, so the function types are declared here, from SoundTouchDLL.h of
/// 2.3.2. They are the same in all versions with the library's version number 1.
struct SoundTouchLibrary: Sendable {
  typealias Create = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
  typealias Destroy = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void
  typealias SetCount = @convention(c) @Sendable (UnsafeMutableRawPointer?, UInt32) -> Int32
  typealias SetRatio = @convention(c) @Sendable (UnsafeMutableRawPointer?, Float) -> Void
  typealias SetSetting = @convention(c) @Sendable (UnsafeMutableRawPointer?, Int32, Int32) -> Int32
  typealias Put = @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafePointer<Float>?, UInt32) -> Int32
  typealias Receive =
    @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeMutablePointer<Float>?, UInt32) -> UInt32

  let create: Create
  let destroy: Destroy
  let setChannels: SetCount
  let setSampleRate: SetCount
  let setTempo: SetRatio
  let setRate: SetRatio
  let setSetting: SetSetting
  let put: Put
  let receive: Receive

  /// Loads the library permanently: another thread may be executing its code.
  static func open(_ name: String) throws(TimeStretchError) -> SoundTouchLibrary {
    // Debian's libSoundTouch 2.3.2 is built with -ffast-math. Loading it makes the calling thread, and
    // threads started by it, flush denormal numbers to zero; this restores the floating-point environment.
    var environment = fenv_t()
    fegetenv(&environment)
    let opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)
    fesetenv(&environment)
    guard let library = opened else {
      throw TimeStretchError(
        "rates other than 1 need SoundTouch (Debian's package libsoundtouch1): \(lastError)")
    }
    func symbol<Function>(_ name: String, as type: Function.Type) throws(TimeStretchError) -> Function {
      guard let address = dlsym(library, name) else {
        throw TimeStretchError("SoundTouch cannot be used: \(lastError)")
      }
      return unsafeBitCast(address, to: type)
    }
    return SoundTouchLibrary(
      create: try symbol("soundtouch_createInstance", as: Create.self),
      destroy: try symbol("soundtouch_destroyInstance", as: Destroy.self),
      setChannels: try symbol("soundtouch_setChannels", as: SetCount.self),
      setSampleRate: try symbol("soundtouch_setSampleRate", as: SetCount.self),
      setTempo: try symbol("soundtouch_setTempo", as: SetRatio.self),
      setRate: try symbol("soundtouch_setRate", as: SetRatio.self),
      setSetting: try symbol("soundtouch_setSetting", as: SetSetting.self),
      put: try symbol("soundtouch_putSamples", as: Put.self),
      receive: try symbol("soundtouch_receiveSamples", as: Receive.self))
  }

  private static var lastError: String { dlerror().map { String(cString: $0) } ?? "no reason given" }
}

/// A handle that owns a SoundTouch instance.
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

  /// Creates an instance for sound of `format`. Throws if memory is exhausted.
  init(_ library: SoundTouchLibrary, format: PCMFormat) throws(TimeStretchError) {
    guard let pointer = library.create() else {
      throw TimeStretchError("SoundTouch has no memory")
    }
    self.library = library
    self.pointer = pointer
    _ = library.setChannels(pointer, UInt32(format.channelCount))
    _ = library.setSampleRate(pointer, UInt32(format.sampleRate))
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
