/// What is to be known of a device beside the frames that go to it.
package struct OutputSurroundings: Hashable, Sendable {
  /// Whether other applications sound.
  package var isOtherAudioPlaying: Bool
  /// The volume that the listener has set for everything, as a slider shows it: 0 silence … 1 full volume.
  package var volume: Float

  /// Surroundings with these properties. By default nobody else sounds, at full volume.
  package init(isOtherAudioPlaying: Bool = false, volume: Float = 1) {
    self.isOtherAudioPlaying = isOtherAudioPlaying
    self.volume = volume
  }
}
