public import Foundation

// There is no input. What asks for one says so; what lists inputs is empty. Any thread; nothing blocks.

extension AVAudioSession {
  /// Whether the application may record.
  public enum RecordPermission: UInt, Sendable {
    /// The user was not asked yet; does not occur.
    case undetermined = 0x756E_6474
    /// It may not: there is no input.
    case denied = 0x6465_6E79
    /// It may; does not occur.
    case granted = 0x6772_6E74
  }

  /// Which output is used instead of the category's own.
  public enum PortOverride: UInt, Sendable {
    /// The category's own output.
    case none = 0
    /// The speaker.
    case speaker = 0x7370_6B72
  }

  /// Whether there is an input: false.
  public var isInputAvailable: Bool { false }

  /// The inputs that can be chosen: none. Nil for a category without an input, as on Apple's systems.
  public var availableInputs: [AVAudioSessionPortDescription]? {
    [.record, .playAndRecord, .multiRoute].contains(category) ? [] : nil
  }

  /// The input that was chosen: nil.
  public var preferredInput: AVAudioSessionPortDescription? { nil }

  /// Chooses an input. Nil, for none, has no effect.
  ///
  /// - Throws: an `NSError` with the `ErrorCode` `resourceNotAvailable` for any port: there is no input.
  public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
    if inPort != nil { throw Self.noInput }
  }

  /// The number of the input's channels: 0.
  public var inputNumberOfChannels: Int { 0 }

  /// The greatest number of input channels that can be had: 0.
  public var maximumInputNumberOfChannels: Int { 0 }

  /// The input's gain, from 0 to 1: 0.
  public var inputGain: Float { 0 }

  /// Whether `setInputGain(_:)` can succeed: false.
  public var isInputGainSettable: Bool { false }

  /// Sets the input's gain.
  ///
  /// - Throws: an `NSError` with the `ErrorCode` `resourceNotAvailable`: there is no input.
  public func setInputGain(_ gain: Float) throws { throw Self.noInput }

  /// The latency from the microphone to the application, in seconds: 0.
  public var inputLatency: TimeInterval { 0 }

  /// Whether the application may record: `denied`.
  public var recordPermission: RecordPermission { .denied }

  /// Asks whether the application may record. `response` is called once, with false, on the main queue: before the
  /// return if the caller is on it.
  @preconcurrency
  public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    suspension.tell { response(false) }
  }

  /// Chooses the speaker instead of the category's output. Has no effect: there is one output, and the sound server's
  /// tools move sound to another.
  ///
  /// - Throws: an `NSError` with the `ErrorCode` `incompatibleCategory` for `speaker` with another category than
  ///   `playAndRecord`.
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
