import AppLifecycle
import ArgumentParser
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import ContinuoCommand

@Suite struct InfoPlistTests {
  @Test func theOptionReadsItUnlessAnotherOverridesIt() throws {
    let folder = try TemporaryFolder()
    let list: [String: Any] = ["UIBackgroundModes": ["audio", "fetch"], "CFBundleName": "x"]
    let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    try folder.write("Info.plist", Array(bytes))
    let options = try Play.parse(["--info-plist", folder.path + "/Info.plist", "a"])
    #expect(try options.player.readBackgroundModes() == BackgroundModes([.audio, .fetch]))
    let overridden = try Play.parse(["--info-plist", "/gone", "--background-modes", "none", "a"])
    #expect(try overridden.player.readBackgroundModes() == BackgroundModes())
    let gone = try Play.parse(["--info-plist", "/gone", "a"])
    #expect(throws: InfoPlistError.self) { try gone.player.readBackgroundModes() }
  }
}
