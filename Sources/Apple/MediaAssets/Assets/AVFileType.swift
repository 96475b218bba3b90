/// A file format, as a uniform type identifier. Not used by any member of this module, because the content of
/// a medium determines its format.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
  /// The uniform type identifier.
  public let rawValue: String
  /// Creates a file type from a uniform type identifier.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a file type from a uniform type identifier.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// MPEG layer III audio.
  public static let mp3 = AVFileType("public.mp3")
  /// WAVE audio.
  public static let wav = AVFileType("com.microsoft.waveform-audio")
  /// AIFF audio.
  public static let aiff = AVFileType("public.aiff-audio")
  /// Compressed AIFF audio.
  public static let aifc = AVFileType("public.aifc-audio")
  /// Core Audio format.
  public static let caf = AVFileType("com.apple.coreaudio-format")
  /// MPEG-4 audio. Not played here.
  public static let m4a = AVFileType("com.apple.m4a-audio")
  /// MPEG-4. Not played here.
  public static let mp4 = AVFileType("public.mpeg-4")
  /// QuickTime. Not played here.
  public static let mov = AVFileType("com.apple.quicktime-movie")
}
