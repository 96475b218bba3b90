public import Foundation

// No input exists. Methods that need one throw, and lists of inputs are empty. Any thread; no call blocks.

extension AVAudioSession {
  /// The user's permission to record.
  public enum RecordPermission: UInt, Sendable {
    /// The user was not asked yet. Does not occur.
    case undetermined = 0x756E_6474
    /// Recording is not permitted, because no input exists.
    case denied = 0x6465_6E79
    /// Recording is permitted. Does not occur.
    case granted = 0x6772_6E74
  }

  /// An override of the category's output.
  public enum PortOverride: UInt, Sendable {
    /// The category's own output.
    case none = 0
    /// The built-in speaker.
    case speaker = 0x7370_6B72
  }

  /// A Boolean value that indicates whether an input exists. Always false.
  public var isInputAvailable: Bool { false }

  /// The available inputs: empty, or nil for a category without an input, as on Apple's systems.
  public var availableInputs: [AVAudioSessionPortDescription]? {
    [.record, .playAndRecord, .multiRoute].contains(category) ? [] : nil
  }

  /// The preferred input. Always nil.
  public var preferredInput: AVAudioSessionPortDescription? { nil }

  /// Throws an `NSError` with the `ErrorCode` `resourceNotAvailable` for any port. Nil has no effect.
  public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
    if inPort != nil { throw Self.noInput }
  }

  /// The number of input channels. Always 0.
  public var inputNumberOfChannels: Int { 0 }

  /// The maximum number of input channels. Always 0.
  public var maximumInputNumberOfChannels: Int { 0 }

  /// The input gain, from 0 to 1. Always 0.
  public var inputGain: Float { 0 }

  /// Whether `setInputGain(_:)` can succeed. Always false.
  public var isInputGainSettable: Bool { false }

  /// Always throws an `NSError` with the `ErrorCode` `resourceNotAvailable`.
  public func setInputGain(_ gain: Float) throws { throw Self.noInput }

  /// The latency from the microphone to the application, in seconds. Always 0.
  public var inputLatency: TimeInterval { 0 }

  /// The user's permission to record. Always `denied`.
  public var recordPermission: RecordPermission { .denied }

  /// Requests permission to record. `response` is called with false on the main queue, before the return if the caller
  /// is on the main queue. The call is deferred during suspension, and dropped if the application ends first.
  @preconcurrency
  public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    suspension.tell { response(false) }
  }

  /// Has no effect, because the sound server's settings select the device. Throws an `NSError` with the
  /// `ErrorCode` `incompatibleCategory` for `speaker` without the category `playAndRecord`.
  public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
    if portOverride != .none, category != .playAndRecord {
      throw AudioSessionError(.incompatibleCategory, "\(category.rawValue) has no port to override.")
        .asNSError
    }
  }

  private static var noInput: NSError {
    AudioSessionError(.resourceNotAvailable, "There is no input.").asNSError
  }
}
