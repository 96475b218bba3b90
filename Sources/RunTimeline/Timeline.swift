package import AppLifecycle
package import HostTime

/// What happened in a run, as far as a picture of it shows: a value that takes entries in the order in which they
/// come. Its size is bounded, however long the run is.
package struct Timeline: Sendable {
  /// Something that happened.
  package enum Entry: Hashable, Sendable {
    /// The application has reached this state.
    case state(ApplicationState)
    /// The player sounds, waits or is silent; a suspended application has nothing to say of it.
    case sound(Sound)
    /// This file of the queue is current; nil after the last one.
    case item(index: Int, name: String)
    /// The current file is called this: its tags are read.
    case itemNamed(String)
    case noItem
    /// Time went on somewhere else in the item: a seek.
    case jumped
    /// Somebody pressed a button or gave a command.
    case pressed(String)
    /// A call or the like has the user's attention.
    case interruptionBegan
    case interruptionEnded
    /// A background task.
    case taskBegan(identifier: Int, name: String)
    /// The task's expiration handler was called.
    case taskExpired(identifier: Int)
    case taskEnded(identifier: Int)
    /// The system ended the application for this reason.
    case terminated(String)
    /// The application was told that the device is there, in degrees.
    case place(latitude: Double, longitude: Double)
  }

  /// What could be heard.
  package enum Sound: Hashable, Sendable { case silent, waiting, audible }

  /// A file of the queue.
  struct Item: Hashable, Sendable {
    /// From 0.
    var index: Int
    var name: String
  }

  /// Where the device was, in degrees.
  struct Place: Hashable, Sendable {
    var latitude: Double
    var longitude: Double
  }

  /// A background task.
  struct Task: Hashable, Sendable {
    /// How far it came.
    enum Outcome: Hashable, Sendable { case open, ended, killed }

    var identifier: Int
    var name: String
    var begin: HostTime
    /// When its expiration handler was called.
    var expiry: HostTime?
    /// When it ended or was ended; nil while it is open.
    var end: HostTime?
    var outcome = Outcome.open
  }

  /// Far more than fit into a drawing. Beyond that the shortest are left out.
  static let taskLimit = 200
  /// More than fit into a drawing's width, in Unicode scalars.
  private static let nameLimit = 160

  /// When the recording began.
  let start: HostTime
  /// When there was sound for the first time: the drawing's 0, as it is for `--at`.
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
  /// What the player said last.
  private var playerSound = Sound.silent

  /// An empty recording that begins now.
  package init(start: HostTime) { self.start = start }

  /// Adds what happened at `time`.
  package mutating func record(_ entry: Entry, at time: HostTime) {
    switch entry {
    case .state(let state):
      if states.elements.last?.value != state { states.append(state, at: time) }
      if state == .notRunning { end(at: time) }
      soundMayHaveChanged(at: time)
    case .sound(let sound):
      playerSound = sound
      soundMayHaveChanged(at: time)
    case .item(let index, let name):
      items.append(Item(index: index, name: Self.shortened(name)), at: time)
    case .itemNamed(let name):
      if case .some(.some(let item)) = items.elements.last?.value {
        items.replaceLast(with: Item(index: item.index, name: Self.shortened(name)))
      }
    case .noItem: leaveItem(at: time)
    case .jumped: jumps.append((), at: time)
    case .pressed(let command): presses.append(Self.shortened(command), at: time)
    case .interruptionBegan: interruptions.append(true, at: time)
    case .interruptionEnded: interruptions.append(false, at: time)
    case .taskBegan(let identifier, let name): beginTask(identifier, name, at: time)
    case .taskExpired(let identifier):
      change(identifier) { $0.expiry = time }
    case .taskEnded(let identifier):
      change(identifier) {
        $0.end = time
        $0.outcome = .ended
      }
    case .terminated(let reason):
      terminations.append(Self.shortened(reason), at: time)
    case .place(let latitude, let longitude):
      guard latitude.isFinite, longitude.isFinite else { break }
      places.append(Place(latitude: latitude, longitude: longitude), at: time)
    }
  }

  /// Nothing sounds while the application is suspended, although its player says nothing of that: it does not run.
  private mutating func soundMayHaveChanged(at time: HostTime) {
    let state = states.elements.last?.value
    let sound = state == .suspended || state == .notRunning ? .silent : playerSound
    if sound == .audible, firstSound == nil { firstSound = time }
    if sound != sounds.elements.last?.value ?? .silent { sounds.append(sound, at: time) }
  }

  /// The same with series of more than `count` made evenly thin, `distance` seconds apart at least.
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

  /// Identifiers may come again after a relaunch; only an open task is meant.
  private mutating func change(_ identifier: Int, _ change: (inout Task) -> Void) {
    guard let index = tasks.lastIndex(where: { $0.identifier == identifier && $0.end == nil }) else { return }
    change(&tasks[index])
  }

  private mutating func leaveItem(at time: HostTime) {
    if case .some(.some) = items.elements.last?.value { items.append(nil, at: time) }
  }

  /// The application is gone, and all that it had.
  private mutating func end(at time: HostTime) {
    leaveItem(at: time)
    playerSound = .silent
    for index in tasks.indices where tasks[index].end == nil {
      tasks[index].end = time
      tasks[index].outcome = .killed
    }
  }

  private static func shortened(_ text: String) -> String {
    // By scalars: a single character can be of any length.
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: nameLimit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}
