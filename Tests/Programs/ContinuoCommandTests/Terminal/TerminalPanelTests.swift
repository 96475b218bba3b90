import Testing

@testable import ContinuoCommand

@Suite struct TerminalPanelTests {
  @Test("The keys are shown by one press and removed by the next") func toggles() {
    var panel = TerminalPanel()
    #expect(panel.text == "" && panel.clearing == "\r\u{1B}[J")
    panel.toggle(["one", "two"], columns: 80)
    #expect(panel.text == "one\ntwo\n" && panel.clearing == "\u{1B}[2A\r\u{1B}[J")
    panel.toggle(["one", "two"], columns: 80)
    #expect(panel.text == "" && panel.clearing == "\r\u{1B}[J")
  }

  @Test("No line wraps, so that the rows to clear are the lines") func fits() {
    var panel = TerminalPanel()
    panel.toggle(TerminalKey.help, columns: 20)
    #expect(panel.text.split(separator: "\n").allSatisfy { $0.count < 20 })
    #expect(panel.text.split(separator: "\n").count == TerminalKey.help.count)
  }

  @Test("Released lines stay") func release() {
    var panel = TerminalPanel()
    panel.toggle(["one"], columns: 80)
    panel.release()
    #expect(panel.clearing == "\r\u{1B}[J")
  }
}
