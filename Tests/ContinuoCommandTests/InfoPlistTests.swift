import AppLifecycle
import ArgumentParser
import Foundation
import Testing

@testable import ContinuoCommand

@Suite struct InfoPlistTests {
  func list(_ object: Any, _ format: PropertyListSerialization.PropertyListFormat = .xml) throws -> [UInt8] {
    Array(try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0))
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func readsModes(format: PropertyListSerialization.PropertyListFormat) throws {
    let folder = try TemporaryFolder()
    let object: [String: Any] = [
      "UIBackgroundModes": ["audio", "fetch", "sound"], "CFBundleName": "x", "Nested": ["a": [1, 2.5, true]],
      "Date": Date(timeIntervalSince1970: 0), "Data": Data([1, 2]),
    ]
    try folder.write("Info.plist", try list(object, format))
    let modes = try InfoPlist.backgroundModes(path: folder.path + "/Info.plist")
    #expect(modes.modes == [.audio, .fetch])
    #expect(modes.warnings.count == 1)
    #expect(modes.warnings.first?.contains("\"sound\"") == true)
    let options = try PlayOptions.parse(["--info-plist", folder.path + "/Info.plist", "a"])
    #expect(try options.readBackgroundModes() == modes)
    let overridden = try PlayOptions.parse(["--info-plist", "/gone", "--background-modes", "none", "a"])
    #expect(try overridden.readBackgroundModes() == BackgroundModes())
  }

  @Test func withoutTheKeyThereAreNoModes() throws {
    #expect(try InfoPlist.backgroundModes(try list(["a": 1]), name: "x") == BackgroundModes())
    #expect(
      try InfoPlist.backgroundModes(try list(["UIBackgroundModes": [String]()]), name: "x")
        == BackgroundModes())
  }

  @Test func saysWhatIsWrong() throws {
    let notAList = "x: UIBackgroundModes is not a list of names"
    for value in ["audio", 5, ["audio": true], ["audio", 5], [["audio"]]] as [Any] {
      let bytes = try list(["UIBackgroundModes": value])
      let error = #expect(throws: InfoPlist.Problem.self) { try InfoPlist.backgroundModes(bytes, name: "x") }
      #expect(error?.description == notAList)
    }
    let good = try list(["UIBackgroundModes": ["audio"]], .binary)
    for bytes in [
      [], Array("hello".utf8), Array(good.dropLast(5)), try list(["audio"]), [0xFF, 0x00],
      Array("<plist>".utf8),
    ] {
      let error = #expect(throws: InfoPlist.Problem.self) { try InfoPlist.backgroundModes(bytes, name: "x") }
      #expect(error?.description.hasPrefix("x: not a property list") == true)
    }
  }

  @Test func missingFilesAreNamed() throws {
    let gone = #expect(throws: InfoPlist.Problem.self) {
      try InfoPlist.backgroundModes(path: "/gone/Info.plist")
    }
    #expect(gone?.description == "/gone/Info.plist: no such file or directory")
    let folder = #expect(throws: InfoPlist.Problem.self) { try InfoPlist.backgroundModes(path: "/tmp") }
    #expect(folder?.description == "/tmp: not a regular file")
  }
}
