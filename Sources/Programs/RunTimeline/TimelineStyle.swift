internal import AppLifecycle

/// The drawing's style: elements differ by colour on a screen, and by lightness, hatching and words in print.
enum TimelineStyle {
  /// The assumed mean width of a label's characters, in SVG user units.
  static let columnWidth = 6.8

  /// The classes and patterns, which precede the shapes of a drawing. All rules apply inside `.continuo`, and
  /// the pattern names begin with `continuo`, so that several drawings can share a page.
  static let definitions: StaticString = """
    <style>
    .continuo { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 11.5px; fill: #1b2733 }
    .continuo .heading { font-size: 17px; font-weight: bold }
    .continuo .quiet { fill: #5a6672 }
    .continuo .lane { font-weight: bold; text-anchor: end }
    .continuo .grid { stroke: #dfe4ea; stroke-width: 1 }
    .continuo .axis { stroke: #5a6672; stroke-width: 1.2; fill: none }
    .continuo .tick { text-anchor: middle; fill: #3c4854 }
    .continuo .bed { fill: #f6f8fa }
    .continuo .state-active { fill: #1f7a54 }
    .continuo .state-inactive { fill: #f4d27a }
    .continuo .state-background { fill: #a9cdf0 }
    .continuo .state-suspended { fill: url(#continuo-hatch) }
    .continuo .state-notRunning { fill: url(#continuo-dots) }
    .continuo .edge { stroke: #1b2733; stroke-width: 0.6 }
    .continuo .light { fill: #ffffff }
    .continuo .sound { fill: url(#continuo-wave) }
    .continuo .waiting { fill: url(#continuo-hatch) }
    .continuo .item-even { fill: #e3d9f2 }
    .continuo .item-odd { fill: #cbb9e6 }
    .continuo .interruption { fill: #f2b8a0 }
    .continuo .task { fill: #fbe3b5; stroke: #8a5a00; stroke-width: 1 }
    .continuo .expiry { fill: #ffffff; stroke: #8a5a00; stroke-width: 1.6 }
    .continuo .task-end { fill: #8a5a00 }
    .continuo .press { stroke: #33404d; stroke-width: 1 }
    .continuo .haloed { paint-order: stroke; stroke: #ffffff; stroke-width: 4; stroke-linejoin: round }
    .continuo .jump { fill: #4a2f7d }
    .continuo .place { stroke: #1c5fa8; stroke-width: 1.4; fill: none }
    .continuo .track { stroke-width: 2.4; fill: none; stroke-linejoin: round; stroke-linecap: round }
    .continuo .track-front { stroke: #1f7a54 }
    .continuo .track-behind { stroke: #1c5fa8; stroke-dasharray: 7 4 }
    .continuo .track-gap { stroke: #9aa4af; stroke-width: 1.2; stroke-dasharray: 1 4 }
    .continuo .end { fill: #ffffff; stroke: #1b2733; stroke-width: 1.6 }
    .continuo .killed { stroke: #b3261e; stroke-width: 2; fill: none }
    .continuo .termination { stroke: #b3261e; stroke-width: 1.6; stroke-dasharray: 5 3 }
    .continuo .reason { fill: #b3261e; font-weight: bold }
    </style>
    <defs>
    <pattern id="continuo-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="7" height="7" fill="#ffffff"/><rect width="2" height="7" fill="#b4bcc6"/></pattern>
    <pattern id="continuo-dots" width="6" height="6" patternUnits="userSpaceOnUse">
    <rect width="6" height="6" fill="#ffffff"/><circle cx="3" cy="3" r="0.8" fill="#9aa4af"/></pattern>
    <pattern id="continuo-wave" width="32" height="26" patternUnits="userSpaceOnUse">
    <rect width="32" height="26" fill="#d5ebe3"/>
    <path d="M2 10v6M6 6v14M10 9v8M14 3v20M18 7v12M22 11v4M26 5v16M30 9v8" stroke="#0d6b63" stroke-width="2"
    stroke-linecap="round"/></pattern>
    </defs>
    """

  /// Returns the class of a label that is readable on a state's colour or hatching.
  static func label(on state: ApplicationState) -> String {
    switch state {
    case .active: "light"
    case .inactive, .background: "on"
    case .suspended, .notRunning: "haloed"
    }
  }

  /// Returns a state's name for display.
  static func name(_ state: ApplicationState) -> String {
    state == .notRunning ? "not running" : state.rawValue
  }
}
