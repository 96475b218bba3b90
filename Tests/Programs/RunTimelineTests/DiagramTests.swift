import Clocks
import Foundation
import Testing

@testable import RunTimeline

/// The documentation's diagram, which is a run's drawing.
@Suite struct DiagramTests {
  private static let pages = URL(fileURLWithPath: #filePath).appendingPathComponent(
    "../../../../Sources/Apple/Continuo/Continuo.docc"
  ).standardizedFileURL

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: pages.appendingPathComponent(path), encoding: .utf8)
  }

  private static func part(of svg: String, from start: String, to end: String) throws -> String {
    let rest = try #require(svg.range(of: start)).upperBound
    return String(svg[rest..<(try #require(svg.range(of: end, range: rest..<svg.endIndex)).lowerBound)])
  }

  @Test("has the look of the present program's drawings")
  func look() throws {
    let drawn = TimelineDrawing.document(
      Timeline(start: HostTime(nanoseconds: 0)), end: HostTime(nanoseconds: 1), title: RunTitle(command: ""))
    let style = try Self.part(of: drawn, from: "<style>", to: "</style>")
    #expect(
      try Self.part(of: Self.text("Resources/background-modes.svg"), from: "<style>", to: "</style>") == style
    )
  }

  @Test("is of the page's command")
  func command() throws {
    let svg = try Self.text("Resources/background-modes.svg")
    let title = try Self.part(of: svg, from: "against time: ", to: "</title>").replacing("&#39;", with: "'")
    let page = try Self.text("BackgroundModesOfTheCommand.md")
    let block = try Self.part(of: page, from: "### Draw a run", to: "\n```\n")
    let command = try #require(block.range(of: "```sh\n")).upperBound
    #expect(block[command...].replacing(" \\\n  ", with: " ") == title)
  }
}
