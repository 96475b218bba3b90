import AppLifecycle
import ArgumentParser
import ContinuoTesting
import Foundation
import Testing

@testable import Backgrounder

/// The phone of a command line of Backgrounder's, in virtual time.
///
/// The device's record has the application's lines too, each after `| `, and the diagnostics of the phone, each after `! `.
@MainActor
final class VirtualPhone {
  let device: TestDevice
  private let command: BackgrounderCommand
  private let parts: ScreenParts
  private var lastTask = RefreshScreen.refresh
  private var delegate: AppDelegate?

  /// A phone of a plan of `command`, on which no application runs.
  init(_ device: TestDevice, _ command: BackgrounderCommand, _ plan: Plan) {
    self.device = device
    self.command = command
    parts = plan.parts
    let note: @Sendable (String) -> Void = { [weak device] in device?.note("! \($0)") }
    plan.location.apply(to: device.location, say: note, complain: note)
    device.location.setSource(plan.location.source)
    if let service = plan.parts.service { device.system.add(service) }
  }

  /// The application's lines so far.
  var lines: [String] { device.record.only("| ").entries.map { String($0.text.dropFirst(2)) } }

  /// The screen of the present application.
  var screen: Screen? { delegate?.screen }

  /// Does what is pressed at its time.
  func play(_ script: String) async throws { await play(try Press.script(script)) }

  fileprivate func play(_ script: [Press]) async {
    for press in script {
      await device.advance(to: .milliseconds(Int((press.time * 1000).rounded())))
      await perform(press.action)
    }
  }

  func perform(_ action: Press.Action) async {
    // Each life has an application of its own.
    if device.state == .notRunning, [.launch, .fetch, .refresh, .process].contains(action) {
      delegate = nil
      delegate = command.makeDelegate(parts)
      device.application.delegate = delegate
    }
    switch action {
    case .tap, .play:
      guard device.state == .active else { return device.note("the application is not active") }
      screen?.buttonTapped()
      await device.advance(by: .zero)
    case .tab1, .tab2, .tab3, .tab4:
      if let tab = action.tab { delegate?.select(tab: tab) }
      await device.advance(by: .zero)
    case .home: await device.pressHomeButton()
    case .foreground: await device.foreground()
    case .lock: await device.lock()
    case .unlock: await device.unlock()
    case .call: await device.beginInterruption()
    case .hangup: await device.endInterruption(shouldResume: true)
    case .memory: await device.sendMemoryWarning()
    case .fetch: await device.performBackgroundFetch()
    case .refresh: await launchTask(RefreshScreen.refresh)
    case .process: await launchTask(RefreshScreen.cleaning)
    case .expire: await device.expireTask(withIdentifier: lastTask)
    case .terminate: await device.terminate()
    case .launch: await device.launch()
    case .quit: break
    }
  }

  private func launchTask(_ identifier: String) async {
    lastTask = identifier
    await device.launchTask(withIdentifier: identifier)
  }

  /// Waits for what threads, servers and sockets do, without letting the device's time pass.
  func wait(
    for what: String, sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while true {
      await device.advance(by: .zero)
      if condition() { return }
      guard ContinuousClock.now < end else {
        Issue.record("\(what) did not happen: \(device.record)", sourceLocation: sourceLocation)
        throw CancellationError()
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Waits for a line of the record.
  func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await wait(for: text, sourceLocation: sourceLocation) { device.record.contains(text) }
  }
}

/// Launches the application of a command line in virtual time, carries out its script, and then `check`.
///
/// - Parameters:
///   - songs: what the audio screen plays, in place of files.
///   - block: how an upload blocks its thread; by default, threads spend the device's time.
///   - change: changes the parts before the launch.
@MainActor
func withPhone(
  _ arguments: [String], songs: ((TestDevice) -> [URL])? = nil, block: Blocker? = nil,
  change: (inout ScreenParts) -> Void = { _ in }, _ check: (VirtualPhone) async throws -> Void
) async throws {
  let command = try BackgrounderCommand.parse(arguments + (songs == nil ? [] : ["http://songs.example/"]))
  var plan = try command.plan()
  try await withTestDevice(modes: plan.parts.modes.modes, settings: plan.settings) { device in
    if let songs { plan.parts.songs = songs(device) }
    plan.parts.clock = device.clock
    let start = Date()
    plan.parts.now = { [weak device] in
      Date(timeInterval: (device?.now ?? .zero) / .seconds(1), since: start)
    }
    plan.parts.block = block ?? { seconds in MainActor.assumeIsolated { device.spend(.seconds(seconds)) } }
    plan.parts.print = { [weak device] in device?.note("| \($0)") }
    change(&plan.parts)
    let phone = VirtualPhone(device, command, plan)
    if plan.launches { await phone.perform(.launch) }
    await phone.play(plan.presses)
    try await check(phone)
  }
}
