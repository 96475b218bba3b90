/// A property of players, items, loopers or sessions that can be observed.
enum ObservedKey: Hashable, Sendable {
  case status, error
  // Players.
  case currentItem, actionAtItemEnd
  case rate, defaultRate, timeControlStatus, reasonForWaitingToPlay, automaticallyWaitsToMinimizeStalling
  case volume, isMuted
  // Items. The duration stands for all that is known of an item when it is ready.
  case duration, forwardPlaybackEndTime, preferredForwardBufferDuration, audioTimePitchAlgorithm, audioMix
  case isTrackEnabled, isPlaybackBufferEmpty, isPlaybackLikelyToKeepUp, isPlaybackBufferFull
  case loadedTimeRanges, timedMetadata
  // Sessions.
  case outputVolume
  // Loopers.
  case loopCount
  /// A property of players or items that is kept and does nothing, by its name.
  case inert(String)
}

/// A property of one object, which is known by its list of observations.
struct ObservedProperty: Hashable, Sendable {
  let owner: ObjectIdentifier
  let key: ObservedKey
}

extension ObservationList {
  func property(_ key: ObservedKey) -> ObservedProperty {
    ObservedProperty(owner: ObjectIdentifier(self), key: key)
  }

  /// The property is read: a key path that is being followed for an observation leads through it, or Swift Observation
  /// tracks it. In every getter of an observable property; a property without it is looked at whenever its object changes.
  func note(_ key: ObservedKey) {
    PathEvaluation.current?.note(property(key))
    tracked?.note(property(key))
  }
}
