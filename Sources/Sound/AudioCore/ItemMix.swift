/// The volume of one item, as its audio mix and its track ask for it.
package struct ItemMix: Hashable, Sendable {
  package var isSilent: Bool
  /// The volume over the item's time; nil for 1.
  package var volume: VolumeCurve?

  /// Creates a mix. Without arguments, samples stay the decoder's, bit for bit.
  package init(isSilent: Bool = false, volume: VolumeCurve? = nil) {
    self.isSilent = isSilent
    self.volume = volume
  }
}
