import Foundation
import MediaTime
import QueuePlayer
import TestSupport
import Testing

@testable import AudioSession

@Suite("AVAudioSession: what can be set")
struct AudioSessionTests {
  let stage = VirtualStage()
  var session: AVAudioSession { stage.session }

  private func code(_ body: () throws -> Void) -> AVAudioSession.ErrorCode? {
    do {
      try body()
      return AVAudioSession.ErrorCode.none
    } catch let error as NSError {
      #expect(error.domain == NSOSStatusErrorDomain && !error.localizedDescription.isEmpty)
      return AVAudioSession.ErrorCode(rawValue: error.code)
    }
  }

  @Test("It begins as soloAmbient, without options, inactive")
  func defaults() {
    #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions == [])
    #expect(session.routeSharingPolicy == .default && !session.isActive)
    #expect(session.currentRoute.outputs.isEmpty && session.currentRoute.inputs.isEmpty)
    #expect(session.sampleRate == 0 && session.outputLatency == 0)
  }

  @Test(
    "Categories",
    arguments: [
      (AVAudioSession.Category.ambient, AVAudioSession.ErrorCode.none), (.soloAmbient, .none),
      (.playback, .none),
      (.record, .none), (.playAndRecord, .none), (.multiRoute, .none), (.init(rawValue: "loud"), .badParam),
    ])
  func categories(_ category: AVAudioSession.Category, _ expected: AVAudioSession.ErrorCode) {
    #expect(code { try session.setCategory(category) } == expected)
    #expect(session.category == (expected == .none ? category : .soloAmbient))
    #expect(session.availableCategories.contains(category) == (expected == .none))
  }

  @Test(
    "Modes and categories",
    arguments: [
      (AVAudioSession.Mode.default, AVAudioSession.ErrorCode.none, AVAudioSession.ErrorCode.none),
      (.spokenAudio, .none, .none), (.measurement, .none, .none),
      (.moviePlayback, .none, .incompatibleCategory), (.voicePrompt, .none, .incompatibleCategory),
      (.voiceChat, .incompatibleCategory, .incompatibleCategory),
      (.videoRecording, .incompatibleCategory, .incompatibleCategory),
      (.init(rawValue: "odd"), .badParam, .badParam),
    ])
  func modes(
    _ mode: AVAudioSession.Mode, _ playback: AVAudioSession.ErrorCode, _ ambient: AVAudioSession.ErrorCode
  ) throws {
    #expect(code { try session.setCategory(.ambient, mode: mode) } == ambient)
    try session.setCategory(.ambient, mode: .default)
    #expect(code { try session.setMode(mode) } == ambient)
    #expect(code { try session.setCategory(.playback, mode: mode) } == playback)
    try session.setCategory(.playback, mode: .default)
    #expect(code { try session.setMode(mode) } == playback)
    #expect(session.mode == (playback == .none ? mode : .default))
  }

  @Test("A mode stays with a category that it goes with, and is default else")
  func modeOfAnotherCategory() throws {
    try session.setCategory(.playback, mode: .spokenAudio)
    try session.setCategory(.ambient)
    #expect(session.mode == .spokenAudio)
    try session.setCategory(.playback, mode: .moviePlayback)
    try session.setCategory(.ambient)
    #expect(session.mode == .default)
  }

  @Test("Options are not sticky across a change of the category")
  func optionsGo() throws {
    try session.setCategory(.playback, options: .mixWithOthers)
    try session.setCategory(.playback)
    #expect(session.categoryOptions == .mixWithOthers)
    try session.setCategory(.ambient)
    #expect(session.categoryOptions == [])
    try session.setCategory(.playback)
    #expect(session.categoryOptions == [])
  }

  @Test(
    "Options",
    arguments: [
      (AVAudioSession.CategoryOptions.mixWithOthers, UInt(0x1)), (.duckOthers, 0x3),
      (.interruptSpokenAudioAndMixWithOthers, 0x11), (.allowBluetooth, 0x4), (.defaultToSpeaker, 0x8),
      (.allowBluetoothA2DP, 0x20), (.allowAirPlay, 0x40),
    ])
  func options(_ options: AVAudioSession.CategoryOptions, _ stored: UInt) throws {
    try session.setCategory(.playback, options: options)
    #expect(session.categoryOptions.rawValue == stored)
  }

  @Test("Options that cannot be had")
  func badOptions() {
    #expect(
      code { try session.setCategory(.playback, options: .overrideMutedMicrophoneInterruption) } == .badParam)
    #expect(code { try session.setCategory(.playback, options: .init(rawValue: 0x100)) } == .badParam)
    #expect(code { try session.setCategory(.soloAmbient, options: .duckOthers) } == .badParam)
    #expect(session.category == .soloAmbient && session.categoryOptions == [])
  }

  @Test(
    "Categories with an input take their modes and options",
    arguments: [
      (AVAudioSession.Category.playAndRecord, AVAudioSession.Mode.voiceChat), (.playAndRecord, .videoChat),
      (.playAndRecord, .gameChat), (.playAndRecord, .videoRecording), (.record, .videoRecording),
      (.record, .measurement), (.multiRoute, .default),
    ])
  func inputCategories(_ category: AVAudioSession.Category, _ mode: AVAudioSession.Mode) throws {
    let options: AVAudioSession.CategoryOptions = [.defaultToSpeaker, .allowBluetoothHFP, .allowBluetooth]
    try session.setCategory(category, mode: mode, options: options)
    #expect(session.category == category && session.mode == mode && session.categoryOptions == options)
    #expect(session.availableModes.contains(mode))
    try session.setCategory(.playback)
    #expect(session.mode == (mode == .measurement ? mode : .default) && session.categoryOptions == [])
  }

  @Test("There is no input, and whatever asks for one is told so")
  func noInput() throws {
    #expect(session.availableInputs == nil)
    try session.setCategory(.playAndRecord, options: [.overrideMutedMicrophoneInterruption])
    #expect(!session.isInputAvailable && session.availableInputs == [] && session.preferredInput == nil)
    #expect(session.currentRoute.inputs.isEmpty && session.inputNumberOfChannels == 0)
    #expect(session.recordPermission == .denied && !session.isInputGainSettable)
    try session.setPreferredInput(nil)
    let port = AVAudioSessionPortDescription(sink: "microphone", .builtInMic)
    #expect(code { try session.setPreferredInput(port) } == .resourceNotAvailable)
    #expect(code { try session.setInputGain(1) } == .resourceNotAvailable)
    let answers = Log<Bool>()
    session.requestRecordPermission { answers.add($0) }
    stage.settle()
    #expect(answers.entries == [false])
  }

  @Test("The output's port can be overridden in playAndRecord, without effect")
  func override() throws {
    #expect(code { try session.overrideOutputAudioPort(.speaker) } == .incompatibleCategory)
    try session.overrideOutputAudioPort(.none)
    try session.setCategory(.playAndRecord)
    try session.overrideOutputAudioPort(.speaker)
  }

  @Test("In the category record nothing plays, and what plays is paused")
  func record() throws {
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    try session.setCategory(.record)
    let reasons = RateLog(player)
    player.play()
    #expect(player.rate == 0)
    try session.setCategory(.playAndRecord)
    player.play()
    stage.pass(1)
    #expect(player.rate == 1 && player.timeControlStatus == .playing)
    try session.setCategory(.record)
    stage.settle()
    #expect(player.rate == 0 && player.timeControlStatus == .paused)
    #expect(reasons.entries == [.setRateFailed, .setRateCalled, .setRateFailed])
  }

  @Test("Long-form policies go with playback, three modes and no options; independent with nothing")
  func policies() throws {
    for policy in [AVAudioSession.RouteSharingPolicy.longFormAudio, .longFormVideo] {
      for mode in [AVAudioSession.Mode.default, .moviePlayback, .spokenAudio] {
        try session.setCategory(.playback, mode: mode, policy: policy)
        #expect(session.routeSharingPolicy == policy)
      }
      #expect(code { try session.setMode(.measurement) } == .badParam)
      try session.setCategory(.playback, mode: .default)
      #expect(session.routeSharingPolicy == .default)
      #expect(code { try session.setCategory(.ambient, mode: .default, policy: policy) } == .badParam)
      #expect(code { try session.setCategory(.playback, mode: .measurement, policy: policy) } == .badParam)
      #expect(
        code { try session.setCategory(.playback, mode: .default, policy: policy, options: .mixWithOthers) }
          == .badParam)
    }
    #expect(code { try session.setCategory(.playback, mode: .default, policy: .independent) } == .badParam)
  }

  @Test("A change of the category is a change of the route; setting what is set is none")
  func categoryChange() throws {
    let changes = SessionLog(session)
    try session.setCategory(.playback)
    try session.setCategory(.playback, options: .duckOthers)
    try stage.mainQueue.elsewhere {
      try session.setCategory(.ambient)
      #expect(changes.entries == ["route 3 from nowhere"])
    }
    stage.settle()
    #expect(changes.entries == ["route 3 from nowhere", "route 3 from nowhere"])
  }

  @Test("Sound in both directions goes to the receiver, unless the options name the speaker")
  func speaker() throws {
    let changes = SessionLog(session)
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    player.play()
    stage.pass(0.5)
    func expect(_ port: AVAudioSession.Port, changes count: Int) {
      stage.settle()
      #expect(session.currentRoute.outputs.map(\.portType) == [port] && changes.entries.count == count)
    }
    expect(.builtInSpeaker, changes: 0)
    try session.setCategory(.playAndRecord)
    expect(.builtInReceiver, changes: 1)
    try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
    expect(.builtInSpeaker, changes: 2)
    try session.setCategory(.playAndRecord, options: [.defaultToSpeaker, .duckOthers])
    expect(.builtInSpeaker, changes: 2)
    try session.setCategory(.playback)
    expect(.builtInSpeaker, changes: 3)
    #expect(Set(changes.entries) == ["route 3 from simulated"])
  }

  @Test(
    "What kind of port a sink is",
    arguments: [
      ("bluez_output.11_22.1", AVAudioSession.Port.bluetoothA2DP), ("alsa_output.pci-0.hdmi-stereo", .HDMI),
      ("alsa_output.usb-x.analog-stereo", .usbAudio), ("alsa_output.pci-0.analog-stereo", .lineOut),
    ])
  func ports(_ sink: String, _ port: AVAudioSession.Port) {
    #expect(AVAudioSessionRouteDescription(SessionRoute(sink: sink)).outputs.map(\.portType) == [port])
  }

  @Test("Playing activates the session; deactivating pauses the players")
  func activity() throws {
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    #expect(!session.isActive)
    player.play()
    #expect(session.isActive)
    stage.pass(1)
    let reasons = RateLog(player)
    try session.setActive(false, options: .notifyOthersOnDeactivation)
    #expect(!session.isActive && player.rate == 0 && player.timeControlStatus == .paused)
    #expect(reasons.entries == [.setRateCalled])
    stage.pass(1)
    #expect(player.currentTime().seconds < 1.1)
    try session.setActive(true)
    try session.setActive(true)
    #expect(session.isActive && player.rate == 0)
  }

  @Test("Each environment has a session; sharedInstance is that of the current one, also beside others")
  func scopes() async {
    let other = VirtualStage()
    #expect(stage.session !== other.session)
    PlaybackEnvironment.withCurrent(stage.environment) {
      #expect(AVAudioSession.sharedInstance() === stage.session)
      PlaybackEnvironment.withCurrent(other.environment) {
        #expect(AVAudioSession.sharedInstance() === other.session)
        let player = AVQueuePlayer()
        player.play()
        #expect(other.session.isActive && !stage.session.isActive)
      }
      #expect(AVAudioSession.sharedInstance() === stage.session)
    }
    await PlaybackEnvironment.withCurrent(other.environment) {
      await Task.yield()
      #expect(AVAudioSession.sharedInstance() === other.session)
      await Task { #expect(AVAudioSession.sharedInstance() === other.session) }.value
    }
  }
}

/// What a session told, in order, in words.
final class SessionLog: Sendable {
  private let log = Log<String>()
  private let tokens: [Token]

  init(_ session: AVAudioSession, also log: (@Sendable (String) -> Void)? = nil) {
    let own = self.log
    let add: @Sendable (String) -> Void = { text in
      own.add(text)
      log?(text)
    }
    tokens = [
      Self.observe(AVAudioSession.interruptionNotification, session) { info in
        let type = (info[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(
          AVAudioSession.InterruptionType.init)
        let option = info[AVAudioSessionInterruptionOptionKey] as? UInt
        let reason = info[AVAudioSessionInterruptionReasonKey] as? UInt
        switch type {
        case .began:
          add("began, reason \(reason.map(String.init) ?? "-"), option \(option.map(String.init) ?? "-")")
        case .ended:
          add("ended, reason \(reason.map(String.init) ?? "-"), option \(option.map(String.init) ?? "-")")
        case nil: add("no type")
        }
      },
      Self.observe(AVAudioSession.routeChangeNotification, session) { info in
        let reason = info[AVAudioSessionRouteChangeReasonKey] as? UInt
        let previous = info[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
        add("route \(reason.map(String.init) ?? "-") from \(previous?.outputs.first?.portName ?? "nowhere")")
      },
      Self.observe(AVAudioSession.mediaServicesWereLostNotification, session) { _ in add("lost") },
      Self.observe(AVAudioSession.mediaServicesWereResetNotification, session) { _ in add("reset") },
    ]
  }

  var entries: [String] { log.entries }

  private static func observe(
    _ name: Notification.Name, _ session: AVAudioSession,
    _ body: @escaping @Sendable ([AnyHashable: Any]) -> Void
  ) -> Token {
    Token(
      NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) {
        body($0.userInfo ?? [:])
      })
  }
}

/// Why a player's rate changed, in order.
final class RateLog: Sendable {
  private let log = Log<AVPlayer.RateDidChangeReason?>()
  private let token: Token

  init(_ player: AVPlayer, also body: (@Sendable () -> Void)? = nil) {
    token = Token(
      NotificationCenter.default.addObserver(
        forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil
      ) { [log] in
        log.add($0.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason)
        body?()
      })
  }

  var entries: [AVPlayer.RateDidChangeReason?] { log.entries }
}

/// Ends an observation of the notification center with itself.
final class Token: NSObject, @unchecked Sendable {
  // Unchecked: the token is a constant that is only given back.
  private let token: any NSObjectProtocol
  init(_ token: any NSObjectProtocol) { self.token = token }
  deinit { NotificationCenter.default.removeObserver(token) }
}
