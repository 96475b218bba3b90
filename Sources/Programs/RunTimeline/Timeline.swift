package import AppLifecycle
package import Clocks

/// The events of a run, as far as its drawing shows them. A timeline takes entries in their order of arrival;
/// its size is bounded, however long the run is.
package struct Timeline: Sendable {
  /// An event of a run.
  package enum Entry: Hashable, Sendable {
    /// The application reached a state.
    case state(ApplicationState)
    /// The player became audible, began to wait or fell silent. A suspended application reports no change.
    case sound(Sound)
    /// An item of the queue became current. `index` counts from 0.
    case item(index: Int, name: String)
    /// The current item's name became known, from its tags or from a live stream.
    case itemNamed(String)
    case noItem
    /// A seek within the current item.
    case jumped
    /// The user pressed a button or gave a command, or the system caused an event.
    case pressed(String)
    /// An interruption such as a phone call began.
    case interruptionBegan
    case interruptionEnded
    case taskBegan(identifier: Int, name: String)
    /// The task's expiration handler was called.
    case taskExpired(identifier: Int)
    case taskEnded(identifier: Int)
    /// The system terminated the application; with the reason.
    case terminated(String)
    /// The application received a location update, in degrees.
    case place(latitude: Double, longitude: Double)
  }

  /// The audible state of the player.
  package enum Sound: Hashable, Sendable { case silent, waiting, audible }

  /// An item of the queue; `index` counts from 0.
  typealias Item = (index: Int, name: String)

  /// A location of the device, in degrees.
  typealias Place = (latitude: Double, longitude: Double)

  /// A background task and its outcome.
  struct Task {
    /// The state of a task: `open`, `ended` by the application, or `killed` with it.
    enum Outcome { case open, ended, killed }

    var identifier: Int
    var name: String
    var begin: HostTime
    /// The time at which the expiration handler was called.
    var expiry: HostTime?
    /// The time at which the task ended or was killed; nil while it is open.
    var end: HostTime?
    var outcome = Outcome.open
  }

  /// The maximum number of tasks, far more than fit into a drawing. At the limit, the shortest task that has ended or
  /// was killed is dropped, or the new one if all are open.
  static let taskLimit = 200
  /// The maximum length of a name, command or reason in Unicode scalars: more than fit into a drawing's width. A longer
  /// text is cut and ends with an ellipsis.
  private static let nameLimit = 160

  /// The start of the recording.
  let start: HostTime
  /// The time of the first sound, which is the zero of the drawing; nil if there was none. The times of `--at` in
  /// `continuo play` have the same zero.
  private(set) var firstSound: HostTime?
  private(set) var states = ThinnedSeries<ApplicationState>(survivor: .last)
  private(set) var sounds = ThinnedSeries<Sound>(survivor: .last)
  private(set) var items = ThinnedSeries<Item?>(survivor: .last)
  private(set) var interruptions = ThinnedSeries<Bool>(survivor: .last)
  private(set) var presses = ThinnedSeries<String>(survivor: .first)
  private(set) var jumps = ThinnedSeries<Void>(survivor: .first)
  private(set) var terminations = ThinnedSeries<String>(survivor: .first)
  private(set) var places = ThinnedSeries<Place>(survivor: .first)
  private(set) var tasks: [Task] = []
  private(set) var omittedTasks = 0
  /// The state that the player reported last; `silent` after the application has ended.
  private var playerSound = Sound.silent

  package init(start: HostTime) { self.start = start }

  /// Records an event that happened at `time`.
  package mutating func record(_ entry: Entry, at time: HostTime) {
    switch entry {
    case .state(let state):
      if states.elements.last?.value != state { states.append(state, at: time) }
      if state == .notRunning { end(at: time) }
      soundMayHaveChanged(at: time)
    case .sound(let sound):
      playerSound = sound
      soundMayHaveChanged(at: time)
    case .item(let index, let name): items.append((index, Self.shortened(name)), at: time)
    case .itemNamed(let name):
      if case .some(.some(let item)) = items.elements.last?.value {
        items.replaceLast(with: (item.index, Self.shortened(name)))
      }
    case .noItem: leaveItem(at: time)
    case .jumped: jumps.append((), at: time)
    case .pressed(let command): presses.append(Self.shortened(command), at: time)
    case .interruptionBegan: interruptions.append(true, at: time)
    case .interruptionEnded: interruptions.append(false, at: time)
    case .taskBegan(let identifier, let name): beginTask(identifier, name, at: time)
    case .taskExpired(let identifier): change(identifier) { $0.expiry = time }
    case .taskEnded(let identifier):
      change(identifier) {
        $0.end = time
        $0.outcome = .ended
      }
    case .terminated(let reason): terminations.append(Self.shortened(reason), at: time)
    case .place(let latitude, let longitude):
      guard latitude.isFinite, longitude.isFinite else { break }
      places.append((latitude, longitude), at: time)
    }
  }

  /// Records a change of the audible state. A suspended or terminated application is silent, although its
  /// player cannot report that, because the application does not run.
  private mutating func soundMayHaveChanged(at time: HostTime) {
    let state = states.elements.last?.value
    let sound = state == .suspended || state == .notRunning ? .silent : playerSound
    if sound == .audible, firstSound == nil { firstSound = time }
    if sound != sounds.elements.last?.value ?? .silent { sounds.append(sound, at: time) }
  }

  /// Returns a copy in which every series of more than `count` elements is thinned, so that the remaining
  /// ones are more than `distance` seconds apart.
  func thinned(beyond count: Int, to distance: Double) -> Timeline {
    func thin<Value>(_ series: inout ThinnedSeries<Value>) {
      if series.elements.count > count { series.thin(to: distance) }
    }
    var result = self
    thin(&result.states)
    thin(&result.sounds)
    thin(&result.items)
    thin(&result.interruptions)
    thin(&result.presses)
    thin(&result.jumps)
    thin(&result.terminations)
    thin(&result.places)
    return result
  }

  private mutating func beginTask(_ identifier: Int, _ name: String, at time: HostTime) {
    if tasks.count >= Self.taskLimit {
      omittedTasks += 1
      let closed = tasks.indices.filter { tasks[$0].end != nil }
      guard let shortest = closed.min(by: { Self.length(tasks[$0]) < Self.length(tasks[$1]) }) else { return }
      tasks.remove(at: shortest)
    }
    tasks.append(Task(identifier: identifier, name: Self.shortened(name), begin: time))
  }

  private static func length(_ task: Task) -> Double { (task.end ?? task.begin).seconds(since: task.begin) }

  /// Changes the open task with this identifier. An identifier may be used again after a relaunch, so ended
  /// tasks do not count.
  private mutating func change(_ identifier: Int, _ change: (inout Task) -> Void) {
    guard let index = tasks.lastIndex(where: { $0.identifier == identifier && $0.end == nil }) else { return }
    change(&tasks[index])
  }

  private mutating func leaveItem(at time: HostTime) {
    if case .some(.some) = items.elements.last?.value { items.append(nil, at: time) }
  }

  /// Records the end of the application, of its item, its sound and its open tasks.
  private mutating func end(at time: HostTime) {
    leaveItem(at: time)
    playerSound = .silent
    for index in tasks.indices where tasks[index].end == nil {
      tasks[index].end = time
      tasks[index].outcome = .killed
    }
  }

  private static func shortened(_ text: String) -> String {
    // Counts Unicode scalars, because a single character may have any number of them.
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: nameLimit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}
