import Foundation

/// Repeated readings of the same quantity, sorted.
struct Readings {
  private(set) var sorted: [Double]

  init(_ values: some Sequence<Double>) { sorted = values.sorted() }

  var median: Double { percentile(50) }

  /// Returns the percentile for `percent` (0…100), interpolated; NaN without readings.
  func percentile(_ percent: Double) -> Double {
    guard let last = sorted.last else { return .nan }
    let place = percent / 100 * Double(sorted.count - 1)
    let index = Int(place)
    guard index + 1 < sorted.count else { return last }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
  }

  /// Returns the minimum and the maximum as a text such as "0.12…0.14".
  func range(_ digits: Int) -> String {
    guard let first = sorted.first, let last = sorted.last else { return "–" }
    return "\(fixed(first, digits))…\(fixed(last, digits))"
  }
}

/// Formats a number with `digits` digits after the point; a dash for NaN and infinity.
func fixed(_ value: Double, _ digits: Int) -> String {
  value.isFinite ? String(format: "%.\(digits)f", value) : "–"
}

/// Formats the ratio to `base`, such as "0.87×"; a dash without a positive base.
func ratio(_ value: Double, to base: Double?) -> String {
  guard let base, base > 0, value.isFinite else { return "–" }
  return fixed(value / base, 2) + "×"
}

/// A straight line y = intercept + slope · x.
struct Line {
  var intercept: Double
  var slope: Double

  func callAsFunction(_ x: Double) -> Double { intercept + slope * x }

  /// Returns the least-squares fit; nil for fewer than two different x.
  static func leastSquares(_ points: [(x: Double, y: Double)]) -> Line? {
    guard let origin = points.first, points.count > 1 else { return nil }
    // Relative to the first point, since the sums of large numbers would cancel each other.
    var sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0
    for point in points {
      let x = point.x - origin.x, y = point.y - origin.y
      sx += x
      sy += y
      sxx += x * x
      sxy += x * y
    }
    let n = Double(points.count)
    let spread = n * sxx - sx * sx
    guard spread > 0 else { return nil }
    let slope = (n * sxy - sx * sy) / spread
    return Line(intercept: origin.y + (sy - slope * sx) / n - slope * origin.x, slope: slope)
  }

  /// Returns the line below all points that is nearest to them overall: the edge of their lower convex hull
  /// at the mean x. Suits points in order of x whose y contains a delay that is never negative. Nil for fewer
  /// than two points.
  static func lowerSupport(_ points: [(x: Double, y: Double)]) -> Line? {
    guard let origin = points.first, points.count > 1 else { return nil }
    var hull: [(x: Double, y: Double)] = []
    for point in points {
      let p = (x: point.x - origin.x, y: point.y - origin.y)
      while let b = hull.last, let a = hull.dropLast().last,
        (b.y - a.y) * (p.x - a.x) >= (p.y - a.y) * (b.x - a.x)
      {
        hull.removeLast()
      }
      hull.append(p)
    }
    let mean = points.reduce(0) { $0 + $1.x - origin.x } / Double(points.count)
    guard let right = hull.firstIndex(where: { $0.x > mean }), right > 0 else { return nil }
    let a = hull[right - 1], b = hull[right]
    let slope = (b.y - a.y) / (b.x - a.x)
    return Line(intercept: origin.y + a.y - slope * (a.x + origin.x), slope: slope)
  }
}
