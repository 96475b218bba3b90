import AppLifecycle
import Foundation
import Testing

@Suite struct InfoPlistTests {
  func list(_ object: Any, _ format: PropertyListSerialization.PropertyListFormat = .xml) throws
    -> [UInt8]
  {
    Array(try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0))
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func readsModes(format: PropertyListSerialization.PropertyListFormat) throws {
    let object: [String: Any] = [
      "UIBackgroundModes": ["audio", "fetch", "sound"], "CFBundleName": "x",
      "Nested": ["a": [1, 2.5, true]],
      "Date": Date(timeIntervalSince1970: 0), "Data": Data([1, 2]),
    ]
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).plist")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(try list(object, format)).write(to: file)
    let modes = try BackgroundModes(infoPlist: file)
    #expect(try BackgroundModes(infoPlist: file.path) == modes)
    #expect(modes.modes == [.audio, .fetch])
    #expect(modes.warnings.count == 1)
    #expect(modes.warnings.first?.contains("\"sound\"") == true)
  }

  @Test func withoutTheKeyThereAreNoModes() throws {
    #expect(try BackgroundModes(infoPlist: try list(["a": 1]), name: "x") == BackgroundModes())
    #expect(
      try BackgroundModes(infoPlist: try list(["UIBackgroundModes": [String]()]), name: "x")
        == BackgroundModes())
  }

  @Test func saysWhatIsWrong() throws {
    let notAList = "x: UIBackgroundModes is not a list of names"
    for value in ["audio", 5, ["audio": true], ["audio", 5], [["audio"]]] as [Any] {
      let bytes = try list(["UIBackgroundModes": value])
      let error = #expect(throws: InfoPlistError.self) {
        try BackgroundModes(infoPlist: bytes, name: "x")
      }
      #expect(error?.description == notAList)
    }
    let good = try list(["UIBackgroundModes": ["audio"]], .binary)
    for bytes in [
      [], Array("hello".utf8), Array(good.dropLast(5)), try list(["audio"]), [0xFF, 0x00],
      Array("<plist>".utf8),
    ] {
      let error = #expect(throws: InfoPlistError.self) {
        try BackgroundModes(infoPlist: bytes, name: "x")
      }
      #expect(error?.description.hasPrefix("x: not a property list") == true)
    }
  }

  @Test func missingFilesAreNamed() throws {
    let gone = #expect(throws: InfoPlistError.self) {
      try BackgroundModes(infoPlist: "/gone/Info.plist")
    }
    #expect(gone?.description == "/gone/Info.plist: no such file or directory")
    let folder = #expect(throws: InfoPlistError.self) { try BackgroundModes(infoPlist: "/tmp") }
    #expect(folder?.description == "/tmp: not a regular file")
    let remote = #expect(throws: InfoPlistError.self) {
      try BackgroundModes(infoPlist: try #require(URL(string: "http://localhost/Info.plist")))
    }
    #expect(remote?.description == "http://localhost/Info.plist: not a file URL")
  }

  @Test func pipesAndFilmsAreRefused() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let refused = #expect(throws: InfoPlistError.self) { try BackgroundModes(infoPlist: pipe) }
    #expect(refused == .unreadable(file: pipe, reason: "not a regular file"))
    let film = folder.path + "/film"
    try Data(count: BackgroundModes.infoPlistLimit + 1).write(to: URL(filePath: film))
    let large = #expect(throws: InfoPlistError.self) { try BackgroundModes(infoPlist: film) }
    #expect(large == .unreadable(file: film, reason: "larger than 4 MiB"))
  }
}
