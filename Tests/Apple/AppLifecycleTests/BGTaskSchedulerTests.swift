import Clocks
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle

/// The task scheduler as an application sees it, in virtual time.
@MainActor @Suite struct BGTaskSchedulerTests {
  private let stage: Stage

  private var scheduler: BGTaskScheduler { Device.withCurrent(stage.device) { BGTaskScheduler.shared } }

  init() {
    var settings = LifecycleSettings()
    settings.permittedTaskIdentifiers = ["refresh", "work"]
    stage = Stage(modes: "fetch,processing", settings: settings)
  }

  @Test func aRefreshFromRegistrationToCompletion() throws {
    let tasks = Mutex<[BGTask]>([])
    let isGranted = scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
      #expect(task is BGAppRefreshTask)
      task.expirationHandler = { task.setTaskCompleted(success: false) }
      tasks.withLock { $0.append(task) }
    }
    #expect(isGranted)
    #expect(!scheduler.register(forTaskWithIdentifier: "stranger", using: nil) { _ in })
    stage.device.launch()
    let request = BGAppRefreshTaskRequest(identifier: "refresh")
    request.earliestBeginDate = Date(timeIntervalSinceReferenceDate: 5)
    try scheduler.submit(request)
    stage.device.pressHomeButton()
    stage.device.launchTask(withIdentifier: "refresh")
    #expect(stage.device.state == .background && stage.device.keptRunningBy == .scheduledTask)
    let task = try #require(tasks.withLock { $0.first })
    #expect(task.identifier == "refresh" && task.expirationHandler != nil)
    stage.clock.advance(bySeconds: 3)
    task.setTaskCompleted(success: true)
    #expect(task.expirationHandler == nil)
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
    // Only the first word counts.
    task.setTaskCompleted(success: false)
    #expect(stage.diary.lines.count { $0.hasPrefix("scheduled task refresh ended") } == 1)
    #expect(stage.diary.lines.contains("scheduled task refresh ended: success"))
  }

  @Test func theExpirationHandlerIsCalledOnce() throws {
    let calls = Mutex(0)
    let tasks = Mutex<[BGTask]>([])
    scheduler.register(forTaskWithIdentifier: "work", using: .main) { task in
      #expect(task is BGProcessingTask)
      task.expirationHandler = { calls.withLock { $0 += 1 } }
      tasks.withLock { $0.append(task) }
    }
    stage.device.launch()
    try scheduler.submit(BGProcessingTaskRequest(identifier: "work"))
    stage.device.pressHomeButton()
    stage.device.launchTask(withIdentifier: "work")
    stage.device.expireTask(withIdentifier: "work")
    stage.device.expireTask(withIdentifier: "work")
    #expect(calls.withLock { $0 } == 1)
    let task = try #require(tasks.withLock { $0.first })
    #expect(task.expirationHandler == nil)
    stage.clock.advance(bySeconds: 5)
    stage.clock.runUntilIdle()
    #expect(stage.device.lastTermination?.code == .backgroundTask && stage.device.state == .notRunning)
    task.setTaskCompleted(success: true)
  }

  private func begin(_ identifier: String) throws {
    stage.device.launch()
    try scheduler.submit(BGProcessingTaskRequest(identifier: identifier))
    stage.device.pressHomeButton()
    stage.device.launchTask(withIdentifier: identifier)
  }

  private func expire(_ identifier: String) { stage.device.expireTask(withIdentifier: identifier) }

  @Test func handlersRunOnTheQueueThatWasGiven() async throws {
    let queue = DispatchQueue(label: "tasks")
    let (ran, continuation) = AsyncStream.makeStream(of: String.self)
    scheduler.register(forTaskWithIdentifier: "work", using: queue) { task in
      dispatchPrecondition(condition: .onQueue(queue))
      task.expirationHandler = {
        dispatchPrecondition(condition: .onQueue(queue))
        continuation.yield("expired")
        task.setTaskCompleted(success: false)
        continuation.finish()
      }
      continuation.yield("begun")
    }
    try begin("work")
    var words: [String] = []
    for await word in ran {
      words.append(word)
      if word == "begun" { expire("work") }
    }
    #expect(words == ["begun", "expired"])
  }

  @Test func nothingRunsOnTheQueueAfterTheEnd() throws {
    let queue = DispatchQueue(label: "tasks")
    let calls = Mutex(0)
    scheduler.register(forTaskWithIdentifier: "work", using: queue) { _ in calls.withLock { $0 += 1 } }
    queue.suspend()
    try begin("work")
    stage.device.terminate()
    queue.resume()
    queue.sync {}
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func aTaskThatIsCompletedOnItsQueueDoesNotExpireThere() throws {
    let queue = DispatchQueue(label: "tasks")
    let calls = Mutex(0)
    let (hasBegun, hasExpired) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    scheduler.register(forTaskWithIdentifier: "work", using: queue) { task in
      task.expirationHandler = { calls.withLock { $0 += 1 } }
      hasBegun.signal()
      hasExpired.wait()
      task.setTaskCompleted(success: true)
    }
    try begin("work")
    hasBegun.wait()
    expire("work")
    hasExpired.signal()
    queue.sync {}
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func requestsCanBeSeenAndTakenBack() async throws {
    let work = BGProcessingTaskRequest(identifier: "work")
    work.requiresExternalPower = true
    work.earliestBeginDate = Date(timeIntervalSinceReferenceDate: 100)
    try scheduler.submit(work)
    try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    // What was submitted is a copy.
    work.requiresExternalPower = false
    let pending = await scheduler.pendingTaskRequests()
    #expect(pending.map(\.identifier) == ["work", "refresh"] && pending.last is BGAppRefreshTaskRequest)
    let first = try #require(pending.first as? BGProcessingTaskRequest)
    #expect(first.requiresExternalPower && !first.requiresNetworkConnectivity)
    #expect(first.earliestBeginDate == Date(timeIntervalSinceReferenceDate: 100))
    scheduler.cancel(taskRequestWithIdentifier: "work")
    let seen = Mutex<[String]>([])
    scheduler.getPendingTaskRequests { requests in seen.withLock { $0 = requests.map(\.identifier) } }
    stage.clock.runUntilIdle()
    #expect(seen.withLock { $0 } == ["refresh"])
    scheduler.cancelAllTaskRequests()
    #expect(await scheduler.pendingTaskRequests().isEmpty)
  }

  @Test func refusalsAreApplesErrors() {
    func submit(_ request: BGTaskRequest, _ modes: String = "fetch,processing") -> BGTaskScheduler.Error? {
      let stage = Stage(modes: modes, settings: stage.device.settings)
      do {
        try Device.withCurrent(stage.device) { try BGTaskScheduler.shared.submit(request) }
        return nil
      } catch BGTaskScheduler.Error.notPermitted {
        return #expect(throws: BGTaskScheduler.Error.self) {
          try Device.withCurrent(stage.device) { try BGTaskScheduler.shared.submit(request) }
        }
      } catch {
        return nil
      }
    }
    #expect(
      submit(BGAppRefreshTaskRequest(identifier: "stranger"))?.localizedDescription
        == "stranger is not among the permitted identifiers of tasks")
    let mode = submit(BGProcessingTaskRequest(identifier: "work"), "fetch")
    #expect(mode?.localizedDescription == "the request work needs the background mode processing")
    let error = mode.map { $0 as NSError }
    #expect(error?.domain == "BGTaskSchedulerErrorDomain" && error?.code == 3)
    stage.device.setBackgroundRefreshStatus(.denied)
    #expect { try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) } throws: {
      BGTaskScheduler.Error.unavailable ~= $0
    }
    stage.device.setBackgroundRefreshStatus(.available)
    #expect(throws: Never.self) { try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) }
    #expect { try scheduler.submit(BGAppRefreshTaskRequest(identifier: "work")) } throws: {
      BGTaskScheduler.Error.tooManyPendingTaskRequests ~= $0
    }
  }

  @Test func permittedIdentifiersComeFromThePropertyList() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    func write(_ list: [String: Any]) throws -> String {
      let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      return try folder.write("Info.plist", Array(bytes))
    }
    var settings = LifecycleSettings()
    try settings.readPermittedTaskIdentifiers(
      infoPlist: write(["BGTaskSchedulerPermittedIdentifiers": ["a", "b"], "UIBackgroundModes": 5]))
    #expect(settings.permittedTaskIdentifiers == ["a", "b"])
    try settings.readPermittedTaskIdentifiers(infoPlist: write([:]))
    #expect(settings.permittedTaskIdentifiers.isEmpty)
    let path = try write(["BGTaskSchedulerPermittedIdentifiers": "a"])
    let error = #expect(throws: InfoPlistError.self) {
      try settings.readPermittedTaskIdentifiers(infoPlist: path)
    }
    #expect(
      error?.description.hasSuffix("BGTaskSchedulerPermittedIdentifiers is not a list of names") == true)
  }
}

/// What stops the program on Apple's systems does so here.
@MainActor @Suite(.timeLimit(.minutes(10))) struct MisuseTests {
  nonisolated private static func launched(_ register: @MainActor (BGTaskScheduler, Device) -> Void) {
    var settings = LifecycleSettings()
    settings.permittedTaskIdentifiers = ["a"]
    let stage = Stage(settings: settings)
    Device.withCurrent(stage.device) {
      MainActor.assumeIsolated { register(BGTaskScheduler.shared, stage.device) }
    }
  }

  @Test func anIdentifierTwiceStopsTheProgram() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      @MainActor in
      Self.launched { scheduler, _ in
        for _ in 0..<2 { scheduler.register(forTaskWithIdentifier: "a", using: nil) { _ in } }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("already been registered"))
  }

  @Test func registeringAfterTheLaunchStopsTheProgram() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      @MainActor in
      Self.launched { scheduler, device in
        device.launch()
        scheduler.register(forTaskWithIdentifier: "a", using: nil) { _ in }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("before application"))
  }
}
