import ContinuoTesting
import Testing

@MainActor
struct UploaderTests {
  @Test func uploadFinishesWithinTheBackgroundBudget() async {
    await withTestDevice { device in
      await device.launch()
      let uploader = Uploader(clock: device.clock)
      uploader.upload(parts: 20)
      await device.pressHomeButton()
      await device.advance(by: .seconds(180))
      #expect(uploader.partsSent == 20)
      #expect(device.termination == nil)
      #expect(
        device.record.only("home", "task", "state background", "state suspended") == """
          0.000 task "upload" begun
          0.000 home
          0.000 state background
          100.000 task "upload" ended
          100.000 state suspended
          """)
    }
  }

  @Test func uploadThatIsTooLongGivesUpInTime() async {
    await withTestDevice { device in
      await device.launch()
      let uploader = Uploader(clock: device.clock)
      uploader.upload(parts: 1000)
      await device.pressHomeButton()
      await device.advance(by: .seconds(180))
      #expect(device.state == .suspended, "\(device.record)")
      #expect(device.record.moments(of: "task \"upload\" ended") == [.seconds(175)])
    }
  }
}
