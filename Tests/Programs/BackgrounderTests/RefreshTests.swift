import ContinuoTesting
import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// Tasks of the scheduler.
  @Suite struct RefreshTests {
    private static let refresh = "org.continuo.backgrounder.refresh"
    private static let cleaning = "org.continuo.backgrounder.cleaning"

    @MainActor @Test func scheduledTasksRunAndExpire() async throws {
      try await withPhone([
        "refresh", "--background-modes", "fetch,processing", "--work", "10", "--script",
        "home@1 refresh@20 process@100 expire@119 foreground@200 quit@300",
      ]) { phone in
        #expect(
          phone.device.record.only("|", "state", "scheduled") == """
            0.000 state inactive
            0.000 | Updated: Not yet updated
            0.000 state active
            1.000 state inactive
            1.000 state background
            1.000 state suspended
            20.000 state background
            20.000 scheduled task \(Self.refresh) begun
            20.000 | Refresh begun
            30.000 | Refresh finished
            30.000 | Updated: Just now
            30.000 scheduled task \(Self.refresh) ended: success
            30.000 state suspended
            100.000 state background
            100.000 scheduled task \(Self.cleaning) begun
            100.000 | Cleaning begun
            119.000 scheduled task \(Self.cleaning) expires
            119.000 | Cleaning out of time
            119.000 scheduled task \(Self.cleaning) ended: no success
            119.000 state suspended
            200.000 state inactive
            200.000 state active
            """)
      }
    }

    @MainActor @Test func anApplicationThatDoesNotRunIsLaunchedForATask() async throws {
      try await withPhone([
        "refresh", "--background-modes", "fetch,processing", "--work", "1", "--script",
        "home@1 terminate@2 refresh@3 quit@20",
      ]) { phone in
        #expect(
          phone.lines == [
            "Updated: Not yet updated", "Updated: Not yet updated", "Refresh begun", "Refresh finished",
            "Updated: Just now",
          ])
        #expect(
          phone.device.record.since(.seconds(4)) == """
            4.000 | Refresh finished
            4.000 | Updated: Just now
            4.000 scheduled task \(Self.refresh) ended: success
            4.000 state suspended
            """)
      }
    }

    @MainActor @Test func withoutModesAndIdentifiersThereIsNone() async throws {
      try await withPhone(["refresh", "--script", "home@1 refresh@2 quit@3"]) { phone in
        #expect(
          phone.lines == [
            "Updated: Not yet updated",
            "Could not schedule: the request \(Self.refresh) needs the background mode fetch",
            "Could not schedule: the request \(Self.cleaning) needs the background mode processing",
          ])
        #expect(
          phone.device.record.contains(
            "refused: no task request with identifier \(Self.refresh) has been scheduled"))
      }
    }

    /// The program, with a script and what a property list permits.
    @Test func thePropertyListPermitsTasks() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let list: [String: Any] = [
        "UIBackgroundModes": ["fetch", "processing"], "BGTaskSchedulerPermittedIdentifiers": [Self.cleaning],
      ]
      let path = try folder.write(
        "Info.plist",
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)))
      let transcript = try await Run([
        "refresh", "--info-plist", path, "--work", "100", "--script",
        "home@0 process@0.1 expire@0.2 quit@0.3",
      ]).ended()
      let refusal = "Could not schedule: \(Self.refresh) is not among the permitted identifiers of tasks"
      #expect(
        transcript.application == [
          "Updated: Not yet updated", "\(Self.refresh) is not permitted", refusal, refusal, "Cleaning begun",
          refusal, "Cleaning out of time",
        ])
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> state background", "> state suspended", "> process", "> state background",
          "> call didEnterBackground", "> scheduled task \(Self.cleaning) begun", "> expire",
          "> scheduled task \(Self.cleaning) expires", "> scheduled task \(Self.cleaning) ended: no success",
          "> state suspended", "> quit",
        ])
      #expect(transcript.errors.isEmpty)
    }
  }
}
