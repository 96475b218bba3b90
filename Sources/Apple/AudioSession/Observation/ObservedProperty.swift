/// The key of an observable property of players, items, loopers or sessions.
package enum ObservedKey: Hashable, Sendable {
  case status, error
  // Players.
  case currentItem, actionAtItemEnd
  case rate, defaultRate, timeControlStatus, reasonForWaitingToPlay, automaticallyWaitsToMinimizeStalling
  case volume, isMuted
  // Items. The duration represents all properties that become known when the item is ready.
  case duration, forwardPlaybackEndTime, preferredForwardBufferDuration, audioTimePitchAlgorithm, audioMix
  case isTrackEnabled, isPlaybackBufferEmpty, isPlaybackLikelyToKeepUp, isPlaybackBufferFull
  case loadedTimeRanges, timedMetadata
  // Sessions.
  case outputVolume
  // Loopers.
  case loopCount
  /// A property of players or items that is stored without effect, by its name.
  case inert(String)
}

/// A property of one object. `owner` identifies the object by its list of observations.
package struct ObservedProperty: Hashable, Sendable {
  let owner: ObjectIdentifier
  let key: ObservedKey
}

extension ObservationList {
  /// Returns the property of the list's object with that key.
  package func property(_ key: ObservedKey) -> ObservedProperty {
    ObservedProperty(owner: ObjectIdentifier(self), key: key)
  }

  /// Records a read of the property, for the key path under evaluation and for Swift Observation. Called in
  /// every getter of an observable property. If a getter on a key path does not call this, changes are
  /// detected only by comparing values whenever the object changes.
  package func note(_ key: ObservedKey) {
    PathEvaluation.current?.note(property(key))
    tracked?.note(property(key))
  }
}
