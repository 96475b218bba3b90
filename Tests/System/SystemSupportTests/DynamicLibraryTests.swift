import SystemSupport
import Testing

@Suite struct DynamicLibraryTests {
  typealias Length = @convention(c) (UnsafePointer<CChar>) -> Int

  @Test("the first library that exists is opened, and its functions are found by the rest of their names")
  func function() throws {
    let library = try DynamicLibrary(["libno-such.so.1", "libc.so.6"], prefix: "str", suffix: "n")
    let length: @convention(c) (UnsafePointer<CChar>, Int) -> Int = try library.find("nle")
    #expect(length("seven", 3) == 3)
  }

  @Test("the problem says whether the library or a function is missing")
  func problems() throws {
    let missing = try #require(throws: DynamicLibrary.Problem.self) {
      try DynamicLibrary(["libno-such.so.1"], prefix: "")
    }
    #expect(missing.function == nil && missing.reason.contains("libno-such.so.1"))
    #expect(missing.text(need: "X needs Y", library: "Y") == "X needs Y: \(missing.reason)")
    let library = try DynamicLibrary(["libc.so.6"], prefix: "continuo_")
    let lacking = try #require(throws: DynamicLibrary.Problem.self) {
      let _: Length = try library.find("length")
    }
    #expect(lacking.function == "continuo_length" && lacking.reason.contains("continuo_length"))
    #expect(lacking.text(need: "X needs Y", library: "Y") == "Y cannot be used: \(lacking.reason)")
  }
}
