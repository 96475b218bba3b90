import AppLifecycle
import FoundationEssentials

/// The property list of an application bundle, as far as it matters here.
enum InfoPlist {
  /// Why a property list is of no use.
  struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for a person, with the file's name.
    let description: String
  }

  /// The part of the dictionary that is read; everything else is skipped.
  private struct Content: Decodable {
    let modes: [String]?

    enum CodingKeys: String, CodingKey {
      case modes = "UIBackgroundModes"
    }
  }

  /// More than any bundle's list has; it keeps a wrong name (a film) from being read into memory.
  private static let sizeLimit = 4 << 20

  /// The background modes under `UIBackgroundModes` in the XML or binary property list at `path`; none if it has no
  /// such key. May block on the file.
  static func backgroundModes(path: String) throws(Problem) -> BackgroundModes {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(MediaPath(path), limit: sizeLimit)
    } catch {
      throw Problem(description: "\(path): \(error)")
    }
    return try backgroundModes(bytes, name: path)
  }

  /// The same for the content of a file that errors call `name`.
  static func backgroundModes(_ bytes: [UInt8], name: String) throws(Problem) -> BackgroundModes {
    do {
      let content = try PropertyListDecoder().decode(Content.self, from: Data(bytes))
      return BackgroundModes(names: content.modes ?? [])
    } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
      throw Problem(description: "\(name): UIBackgroundModes is not a list of names")
    } catch DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty {
      throw Problem(description: "\(name): UIBackgroundModes is not a list of names")
    } catch {
      throw Problem(description: "\(name): not a property list with a dictionary in it")
    }
  }
}
