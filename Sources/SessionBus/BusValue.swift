/// A value in a message of the bus, with its D-Bus type.
package indirect enum BusValue: Hashable, Sendable {
  /// `b`
  case bool(Bool)
  /// `i`
  case int32(Int32)
  /// `q`
  case uint16(UInt16)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`. Bytes behind a zero character are cut off.
  case string(String)
  /// `o`. Must be a valid path.
  case objectPath(String)
  /// `as`
  case strings([String])
  /// `aay`
  case byteArrays([[UInt8]])
  /// `a{sv}`
  case dictionary([String: BusValue])
  /// `v`
  case variant(BusValue)

  /// The type as D-Bus writes it.
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

  /// A number of any type, also inside a variant; nil for other types.
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
