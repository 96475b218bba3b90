extension Int64 {
  /// The frame number converted to another sample rate: times `factor`, divided by `divisor`, rounded down.
  /// The product does not overflow.
  func scaled(by factor: Int, over divisor: Int) -> Int64 {
    guard factor != divisor else { return self }
    let (whole, rest) = quotientAndRemainder(dividingBy: Int64(divisor))
    return whole * Int64(factor) + rest * Int64(factor) / Int64(divisor)
  }
}
