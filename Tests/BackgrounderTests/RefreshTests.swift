import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// Tasks of the scheduler.
  @Suite struct RefreshTests {
    private static let refresh = "org.continuo.backgrounder.refresh"
    private static let cleaning = "org.continuo.backgrounder.cleaning"

    @Test func scheduledTasksRunAndExpire() async throws {
      let transcript = try await Run([
        "refresh", "--background-modes", "fetch,processing", "--work", "0.3", "--script",
        "home@0.3 refresh@0.6 process@1.4 expire@1.6 foreground@2 quit@2.3",
      ]).ended()
      let wake = ["> state background", "> call didEnterBackground"]
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> state background", "> state suspended", "> refresh",
        ] + wake + [
          "> scheduled task \(Self.refresh) begun", "> scheduled task \(Self.refresh) ended: success",
          "> state suspended", "> process",
        ] + wake + [
          "> scheduled task \(Self.cleaning) begun", "> expire", "> scheduled task \(Self.cleaning) expires",
          "> scheduled task \(Self.cleaning) ended: no success", "> state suspended",
        ] + Transcript.foreground + ["> state active", "> quit"])
      #expect(
        transcript.application == [
          "Updated: Not yet updated", "Refresh begun", "Refresh finished", "Updated: Just now",
          "Cleaning begun",
          "Cleaning out of time",
        ])
      #expect(transcript.errors.isEmpty)
    }

    @Test func anApplicationThatDoesNotRunIsLaunchedForATask() async throws {
      let transcript = try await Run([
        "refresh", "--background-modes", "fetch,processing", "--work", "0.1", "--script",
        "home@0.3 terminate@0.6 refresh@0.9 quit@1.5",
      ]).ended()
      #expect(
        transcript.application == [
          "Updated: Not yet updated", "Updated: Not yet updated", "Refresh begun", "Refresh finished",
          "Updated: Just now",
        ])
      #expect(transcript.system.suffix(2) == ["> state suspended", "> quit"])
    }

    @Test func withoutModesAndIdentifiersThereIsNone() async throws {
      let transcript = try await Run(["refresh", "--script", "home@0.3 refresh@0.6 quit@0.9"]).ended()
      #expect(
        transcript.application == [
          "Updated: Not yet updated",
          "Could not schedule: the request \(Self.refresh) needs the background mode fetch",
          "Could not schedule: the request \(Self.cleaning) needs the background mode processing",
        ])
      #expect(
        transcript.system.contains(
          "> refused: no task request with identifier \(Self.refresh) has been scheduled"))
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let list: [String: Any] = [
        "UIBackgroundModes": ["fetch", "processing"], "BGTaskSchedulerPermittedIdentifiers": [Self.refresh],
      ]
      let path = try folder.write(
        "Info.plist",
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)))
      let other = try await Run(["refresh", "--info-plist", path, "--script", "home@0.3 quit@0.6"]).ended()
      #expect(
        other.application == [
          "Updated: Not yet updated", "\(Self.cleaning) is not permitted",
          "Could not schedule: \(Self.cleaning) is not among the permitted identifiers of tasks",
        ])
    }
  }
}
