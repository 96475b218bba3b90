import Glibc
import SystemSupport
import TestSupport
import Testing

@testable import MusicFiles

@Suite struct MediaPathTests {
  @Test(arguments: [
    ("a.mp3", "/home/x", "/home/x/a.mp3"), ("./a//b/./c.mp3", "/home/x/", "/home/x/a/b/c.mp3"),
    ("../a.mp3", "/home/x", "/home/x/../a.mp3"), ("/a.mp3", "/home/x", "/a.mp3"), (".", "/", "/"),
    ("/", "/x", "/"),
    ("a/", "/", "/a"),
  ])
  func resolves(path: String, directory: String, result: String) {
    #expect(MediaPath(path).resolved(against: MediaPath(directory)) == MediaPath(result))
  }

  @Test(arguments: [
    ("/a/b.MP3", "/a", "b.MP3", "mp3"), ("b", ".", "b", ""), ("/b.x.pls", "/", "b.x.pls", "pls"),
    ("/", "/", "", ""),
    ("a/b/", "a", "b", ""), (".mp3", ".", ".mp3", ""), ("a.", ".", "a.", ""),
  ])
  func takesApart(path: String, directory: String, name: String, fileExtension: String) {
    #expect(MediaPath(path).directory == MediaPath(directory))
    #expect(MediaPath(path).name == Array(name.utf8))
    #expect(MediaPath(path).fileExtension == fileExtension)
  }

  @Test func makesURLs() {
    #expect(MediaPath("/a b/c#?%é.mp3").fileURL == "file:///a%20b/c%23%3F%25%C3%A9.mp3")
    #expect(MediaPath(bytes: [0x2F, 0xFF, 0x0A]).fileURL == "file:///%FF%0A")
    #expect(MediaPath("/A-z0.9_~!$&'()*+,;=:@").fileURL == "file:///A-z0.9_~!$&'()*+,;=:@")
  }

  /// Every byte but zero and slash survives the way into a URL and back.
  @Test func urlsLeadBack() {
    let path = MediaPath(bytes: [0x2F] + (1...255).filter { $0 != 0x2F }.map(UInt8.init))
    #expect(EntryLocation(Array(path.fileURL.utf8)) == .paths([path]))
  }

  @Test(arguments: [10_000_000_000, -10_000_000_000]) func filesHaveDatesOfAnyCentury(_ seconds: Int) throws {
    // The file system may keep the date only in part.
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try folder.write("a", "")
    let times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 999_999_999), count: 2)
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    var kept = stat()
    #expect(stat(path, &kept) == 0)
    let status = try FileStatus(of: MediaPath(path))
    #expect(status.modified == Int64(kept.st_mtim.tv_sec) && (status.changed > 0) == (status.modified > 0))
  }

  @Test func cutsAtZeroBytes() {
    #expect(MediaPath(bytes: [0x61, 0, 0x62]) == MediaPath("a"))
    #expect(throws: FileBytes.Problem.system(ENOENT)) { try FileStatus(of: MediaPath("/no/such/file")) }
  }
}
