/// A value in a D-Bus message, with its type.
package indirect enum BusValue: Hashable, Sendable {
  /// The type `b`.
  case bool(Bool)
  /// The type `i`.
  case int32(Int32)
  /// The type `q`.
  case uint16(UInt16)
  /// The type `u`.
  case uint32(UInt32)
  /// The type `x`.
  case int64(Int64)
  /// The type `t`.
  case uint64(UInt64)
  /// The type `d`.
  case double(Double)
  /// The type `s`. Text after a null character is cut off.
  case string(String)
  /// The type `o`. Must be a valid object path.
  case objectPath(String)
  /// The type `as`.
  case strings([String])
  /// The type `aay`.
  case byteArrays([[UInt8]])
  /// The type `a{sv}`.
  case dictionary([String: BusValue])
  /// The type `v`.
  case variant(BusValue)

  /// The type in D-Bus notation.
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
