public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public struct CMTime: Sendable, Hashable {
  public var value: Int64
  public var timescale: Int32
  public var f: UInt32 = 1
  public init(value: Int64, timescale: Int32) { self.value = value; self.timescale = timescale }
  public init(seconds: Double, preferredTimescale: Int32) { value = Int64(seconds * Double(preferredTimescale)); timescale = preferredTimescale }
  public var seconds: Double { Double(value) / Double(timescale) }
  public var isNumeric: Bool { f == 1 }
  public static let positiveInfinity = CMTime(value: 1, timescale: 0)
  public static let indefinite: CMTime = { var t = CMTime(value: 0, timescale: 0); t.f = 17; return t }()
}
