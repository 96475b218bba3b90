/// A value in a D-Bus message, with its type.
package indirect enum BusValue: Hashable, Sendable {
  case bool(Bool)
  case int32(Int32)
  case uint16(UInt16)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// Text after a null character is cut off.
  case string(String)
  /// Must be a valid object path.
  case objectPath(String)
  case strings([String])
  case byteArrays([[UInt8]])
  case dictionary([String: BusValue])
  case variant(BusValue)

  package var signature: String {
    switch self {
    case .bool: "b"
    case .int32: "i"
    case .uint16: "q"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .strings: "as"
    case .byteArrays: "aay"
    case .dictionary: "a{sv}"
    case .variant: "v"
    }
  }

  /// The text of a string or an object path, also inside a variant; nil for other types.
  package var text: String? {
    switch self {
    case .string(let text), .objectPath(let text): text
    case .variant(let value): value.text
    default: nil
    }
  }

  /// The value of any number type, also inside a variant; nil for other types.
  package var number: Double? {
    switch self {
    case .int32(let value): Double(value)
    case .uint16(let value): Double(value)
    case .uint32(let value): Double(value)
    case .int64(let value): Double(value)
    case .uint64(let value): Double(value)
    case .double(let value): value
    case .variant(let value): value.number
    default: nil
    }
  }
}
