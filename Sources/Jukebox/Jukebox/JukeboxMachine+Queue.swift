package import ControlProtocol

extension JukeboxMachine {
  /// Adds songs at `place` (nil: at the end) as one edit and returns their ids.
  ///
  /// - Throws: `numberTooLarge` if the position is before the first song or past the end of the queue,
  ///   `noCurrentSong`, `queueFull`, `pathTooLong`.
  @discardableResult
  package mutating func add(_ songs: [Song], at place: QueuePosition? = nil) throws(JukeboxError) -> [SongID]
  {
    let position: Int
    switch place {
    case nil: position = queue.count
    case .absolute(let number):
      guard number >= 0, number <= queue.count else { throw .numberTooLarge(number) }
      position = number
    case .afterCurrent(let number):
      guard let current = currentPosition else { throw .noCurrentSong }
      guard number >= 0, number < queue.count - current else { throw .numberTooLarge(number) }
      position = current + 1 + number
    case .beforeCurrent(let number):
      guard let current = currentPosition else { throw .noCurrentSong }
      guard number >= 0, number <= current else { throw .numberTooLarge(number) }
      position = current - number
    }
    let ids = try edit { queue throws(JukeboxError) in try queue.insert(songs, at: position) }
    addToOrder(ids)
    return ids
  }

  /// Removes songs. If the current song is among them, its successor is the first remaining song after it in
  /// the play order. While playing, the successor plays; without one, playback stops. When paused, playback
  /// stops and the successor becomes current. When stopped, no song is current after the current one was
  /// removed.
  ///
  /// - Throws: `badSongIndex` if the range begins below 0 or after the end of the queue. The range may extend
  ///   past the end.
  package mutating func delete(_ range: Range<Int>) throws(JukeboxError) {
    discard(try queue.clamped(range))
    drawNextRound()
  }

  /// Removes one song, with the same effect on playback as `delete(_:)`.
  ///
  /// - Throws: `noSuchSong`.
  package mutating func delete(id: SongID) throws(JukeboxError) {
    guard let position = queue.position(of: id) else { throw .noSuchSong }
    try delete(position..<position + 1)
  }

  /// Removes `range`, which must be in the queue.
  mutating func discard(_ range: Range<Int>) {
    var heir: SongID?
    var losesCurrent = false
    if let currentID, let currentPosition, range.contains(currentPosition) {
      losesCurrent = true
      heir = state == .stopped ? nil : survivor(of: range, after: currentID)
    }
    removeFromOrder(range)
    edit { $0.take(range) }
    guard losesCurrent else { return }
    if state == .playing, let heir {
      start(heir)
    } else {
      halt(current: heir)
    }
  }

  package mutating func clear() {
    halt(current: nil)
    queue.removeAll()
    if isRandom { shuffled = SlotSequence() }
    effects.changed.insert(.playlist)
  }

  /// Moves the songs of `range` to `place`.
  ///
  /// - Throws: `badSongIndex` if the range is empty or not in the queue, or if a relative position is not in
  ///   the queue; `numberTooLarge` if an absolute position leaves no room for the songs; `noCurrentSong`;
  ///   `moveRelativeToItself`.
  package mutating func move(_ range: Range<Int>, to place: QueuePosition) throws(JukeboxError) {
    guard range.lowerBound >= 0, range.upperBound <= queue.count, !range.isEmpty else { throw .badSongIndex }
    let target: Int
    switch place {
    case .absolute(let number): target = number
    case .afterCurrent(let number), .beforeCurrent(let number):
      guard var current = currentPosition else { throw .noCurrentSong }
      guard !range.contains(current) else { throw .moveRelativeToItself }
      if current >= range.upperBound { current -= range.count }
      guard number >= 0, number < queue.count else { throw .badSongIndex }
      if case .afterCurrent = place { target = current + 1 + number } else { target = current - number }
      guard target >= 0, target <= queue.count - range.count else { throw .badSongIndex }
    }
    try edit { queue throws(JukeboxError) in try queue.move(range, to: target) }
  }

  package mutating func move(id: SongID, to place: QueuePosition) throws(JukeboxError) {
    guard let position = queue.position(of: id) else { throw .noSuchSong }
    try move(position..<position + 1, to: place)
  }

  package mutating func swap(_ first: Int, _ second: Int) throws(JukeboxError) {
    try edit { queue throws(JukeboxError) in try queue.swap(first, second) }
  }

  package mutating func swap(id first: SongID, id second: SongID) throws(JukeboxError) {
    guard let first = queue.position(of: first), let second = queue.position(of: second) else {
      throw .noSuchSong
    }
    try swap(first, second)
  }

  /// Puts the songs of `range` (nil: all) into random order. If the current song is among them, it becomes
  /// the first of them, so that all others are upcoming. When stopped, no song is current afterwards. Has no
  /// effect on fewer than two songs.
  ///
  /// - Throws: `badSongIndex` if the range begins below 0 or after the end of the queue. The range may extend
  ///   past the end.
  package mutating func shuffle(_ range: Range<Int>? = nil) throws(JukeboxError) {
    var range = try queue.clamped(range ?? 0..<queue.count)
    guard range.count > 1 else { return }
    if state == .stopped {
      halt(current: nil)
    } else if let current = currentPosition, range.contains(current) {
      try swap(range.lowerBound, current)
      range = range.lowerBound + 1..<range.upperBound
    }
    var generator = generator
    try edit { queue throws(JukeboxError) in try queue.shuffle(range, using: &generator) }
    self.generator = generator
  }

  /// Sets the part of a song that is played (nil: all).
  ///
  /// - Throws: `noSuchSong`; `songIsCurrent` if the song is playing or paused.
  package mutating func setRange(_ range: SongRange?, of id: SongID) throws(JukeboxError) {
    guard queue[id] != nil else { throw .noSuchSong }
    guard state == .stopped || id != currentID else { throw .songIsCurrent }
    try edit { queue throws(JukeboxError) in try queue.setRange(range, of: id) }
  }

  /// Sets the priority of the songs of `range`. In random order, songs with a higher priority play earlier.
  ///
  /// - Throws: `badSongIndex` if the range begins below 0 or after the end of the queue. The range may extend
  ///   past the end.
  package mutating func setPriority(_ priority: UInt8, of range: Range<Int>) throws(JukeboxError) {
    setPriority(priority, of: queue.order.slots(in: try queue.clamped(range)))
  }

  /// Sets the priority of one song. In random order, songs with a higher priority play earlier.
  ///
  /// - Throws: `noSuchSong`.
  package mutating func setPriority(_ priority: UInt8, of id: SongID) throws(JukeboxError) {
    guard let slot = queue.slot(of: id) else { throw .noSuchSong }
    setPriority(priority, of: [slot])
  }

  private mutating func setPriority(_ priority: UInt8, of slots: [SlotSequence.Slot]) {
    let changed = slots.map { (slot: $0, old: queue.priority(of: $0)) }.filter { $0.old != priority }
    edit { $0.setPriority(priority, of: slots) }
    reorder(changed)
  }

  package mutating func learn(_ id: SongID, _ news: SongMetadata) {
    let before = queue.edition
    edit { $0.learn(id, news) }
    // Many clients refresh the displayed title on `player` events only.
    if queue.edition != before, id == currentID { effects.changed.insert(.player) }
  }

  package mutating func addTag(_ tag: SongTag, to id: SongID) throws(JukeboxError) {
    try edit { queue throws(JukeboxError) in try queue.addTag(tag, to: id) }
  }

  package mutating func removeTags(_ type: TagType?, of id: SongID) throws(JukeboxError) {
    try edit { queue throws(JukeboxError) in try queue.removeTags(type, of: id) }
  }

  package mutating func setMetadata(_ metadata: [(id: SongID, metadata: SongMetadata)]) {
    edit { $0.setMetadata(metadata) }
  }

  @discardableResult
  private mutating func edit<Result, Failure: Error>(
    _ body: (inout SongQueue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let version = queue.edition
    let result = try body(&queue)
    if queue.edition != version { effects.changed.insert(.playlist) }
    return result
  }
}
