import AudioCore
import TestSupport

/// What an application, a person or the system does in a walk. Numbers name players and media of the walk, or
/// milliseconds.
enum WalkOperation: Sendable {
  case insert(player: Int, medium: Int, after: Int?)
  case insertAgain(player: Int, item: Int)
  case remove(player: Int, item: Int)
  case removeAll(player: Int)
  case advance(player: Int)
  case replace(player: Int, medium: Int?)
  case seek(player: Int, to: Int)
  case seekItem(player: Int, item: Int, to: Int)
  case cancelSeeks(player: Int, item: Int)
  case endTime(player: Int, item: Int, Int?)
  case rate(player: Int, Float)
  case play(player: Int)
  case pause(player: Int)
  case playImmediately(player: Int, Float)
  /// With the place, nil for where the item stands, and the moment from now on.
  case start(player: Int, Float, at: Int?, in: Int)
  case actionAtEnd(player: Int, Int)
  case volume(player: Int, Float)
  case mute(player: Int, Bool)
  case waits(player: Int, Bool)
  case addObservers(player: Int)
  case removeObservers(player: Int)
  case release(player: Int)
  case home, foreground, lock, unlock, interrupt, terminate, launch
  case endInterruption(shouldResume: Bool)
  /// The main queue is busy in one turn: what follows happens in that turn.
  case holdMainQueue
  case releaseMainQueue
  /// Is done inside the next change handler that is called.
  indirect case inHandler(WalkOperation)

  /// Whether the application does it, and not a person or the system.
  var isOfApplication: Bool {
    switch self {
    case .home, .foreground, .lock, .unlock, .interrupt, .terminate, .launch, .endInterruption,
      .holdMainQueue,
      .releaseMainQueue:
      false
    default: true
    }
  }
}

/// An operation, and the milliseconds that pass before it.
struct WalkStep: Sendable, CustomStringConvertible {
  var wait: Int
  var operation: WalkOperation
  var description: String { "+\(wait) \(operation)" }
}

/// A walk as its seed makes it.
struct WalkPlan: Sendable {
  static let players = 2
  /// What an application sets.
  static let rates: [Float] = [0, 0.5, 1, 1, 1.5, 2]

  let seed: UInt64
  let isKeptRunning: Bool
  let waitsAtOnce: Bool
  var steps: [WalkStep]

  init(seed: UInt64, holds: Bool = true) {
    var random = RandomSource(seed: seed)
    self.seed = seed
    isKeptRunning = random.below(2) == 0
    waitsAtOnce = random.below(4) != 0
    steps = []
    for medium in 0..<(1 + random.below(4)) {
      steps.append(WalkStep(wait: 0, operation: .insert(player: medium % 2, medium: medium, after: nil)))
    }
    for _ in 0..<(4 + random.below(26)) {
      let wait =
        switch random.below(8) {
        case 0, 1, 2: 0
        case 3, 4, 5: random.below(60)
        case 6: random.below(250)
        default: random.below(700)
        }
      steps.append(WalkStep(wait: wait, operation: Self.operation(&random, holds: holds)))
    }
  }

  private static func operation(_ random: inout RandomSource, holds: Bool) -> WalkOperation {
    let player = random.below(players)
    switch random.below(46) {
    case 0...5:
      let after = random.below(2) == 0 ? nil : random.below(4)
      return .insert(player: player, medium: random.below(WalkMedium.all.count), after: after)
    case 6: return .insertAgain(player: player, item: random.below(8))
    case 7, 8: return .remove(player: player, item: random.below(4))
    case 9: return .removeAll(player: player)
    case 10, 11: return .advance(player: player)
    case 12: return .replace(player: player, medium: random.below(WalkMedium.all.count))
    case 13: return .replace(player: player, medium: nil)
    case 14...18: return .seek(player: player, to: random.below(500))
    case 19, 20: return .seekItem(player: player, item: random.below(3), to: random.below(400))
    case 21: return .cancelSeeks(player: player, item: random.below(2))
    case 22:
      return .endTime(player: player, item: random.below(3), random.below(3) == 0 ? nil : random.below(300))
    case 23...25: return .rate(player: player, random.pick(rates))
    case 26...29: return .play(player: player)
    case 30, 31: return .pause(player: player)
    case 32:
      let rate = random.pick(rates)
      guard random.below(2) == 0 else { return .playImmediately(player: player, rate) }
      let place = random.below(2) == 0 ? nil : random.below(400)
      return .start(player: player, rate, at: place, in: random.below(400) - 50)
    case 33, 34: return .actionAtEnd(player: player, random.below(3))
    case 35: return .volume(player: player, Float(random.below(5)) / 4)
    case 36:
      return random.below(2) == 0
        ? .mute(player: player, random.below(2) == 0) : .waits(player: player, random.below(2) == 0)
    case 37: return .addObservers(player: player)
    case 38: return .removeObservers(player: player)
    case 39: return random.below(3) == 0 ? .release(player: player) : .play(player: player)
    case 40: return random.pick([.home, .foreground, .lock, .unlock])
    case 41: return random.pick([.home, .foreground, .foreground])
    case 42:
      return random.pick([
        .interrupt, .endInterruption(shouldResume: true), .endInterruption(shouldResume: false),
      ])
    case 43: return random.below(3) == 0 ? random.pick([.terminate, .launch]) : .launch
    case 44: return holds ? random.pick([.holdMainQueue, .releaseMainQueue, .releaseMainQueue]) : .launch
    default: return .inHandler(Self.operation(&random, holds: false))
    }
  }
}

/// A medium of a walk.
struct WalkMedium: Sendable {
  let name: String
  let seconds: Double
  var sampleRate = 8000
  var failure: RampSource.Failure?

  static let all = [
    WalkMedium(name: "a", seconds: 0.3), WalkMedium(name: "b", seconds: 0.125),
    WalkMedium(name: "c", seconds: 0.6),
    WalkMedium(name: "d", seconds: 0.05), WalkMedium(name: "e", seconds: 0.205, sampleRate: 11_025),
    WalkMedium(name: "missing", seconds: 0, failure: .opening(.notFound)),
    WalkMedium(name: "broken", seconds: 0.3, failure: .decoding(atFrame: 1500)),
  ]

  /// Puts all of them into `library`.
  static func addAll(to library: Library) {
    for medium in all {
      let frames = Int64((medium.seconds * Double(medium.sampleRate)).rounded())
      _ = library.add(
        medium.name, RampSource(frames: frames, sampleRate: medium.sampleRate, failure: medium.failure))
    }
  }
}
