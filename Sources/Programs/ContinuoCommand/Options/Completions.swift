import AppLifecycle
import ArgumentParser
import ControlProtocol
import MusicFiles

enum Completions {
  /// Playable files, playlists and folders. Extensions are in both cases, because shells compare letter by
  /// letter.
  static let music = CompletionKind.file(
    extensions: (MediaPath.songExtensions + ["m3u", "m3u8", "pls"]).flatMap { [$0, $0.uppercased()] })
  static let sinks = CompletionKind.shellCommand("LC_ALL=C pactl list short sinks 2>/dev/null | cut -f2")
  static let outputs = CompletionKind.custom { _, _, word in escaped(outputs(word)) }
  static let backgroundModes = CompletionKind.custom { _, _, word in backgroundModes(word) }
  static let schedule = CompletionKind.custom { _, _, word in escaped(schedule(word)) }
  static let permissions = CompletionKind.list(["none", "read", "add", "player", "control", "admin"])
  static let watch = CompletionKind.custom { words, index, _ in watch(before: words.prefix(index)) }
  static let commands = CompletionKind.custom { words, index, _ in commands(before: words.prefix(index)) }
  static let seek = CompletionKind.list(["+5", "-5", "+30", "-30", "0:00"])
  static let speed = CompletionKind.list(["+0.1", "-0.1", "0.75", "1", "1.25", "1.5", "2"])
  static let volume = CompletionKind.list(["+5", "-5", "0", "25", "50", "75", "100"])

  /// Returns the candidates with colons escaped for Zsh, which takes the text after a colon for a
  /// description.
  private static func escaped(_ candidates: [String]) -> [String] {
    guard CompletionShell.requesting == .zsh else { return candidates }
    return candidates.map {
      $0.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    }
  }

  /// Returns the values of `--output`; after `wav:`, folders and WAV files.
  static func outputs(_ word: String) -> [String] {
    let wav = "wav:"
    guard word.hasPrefix(wav) else { return ["pulse", wav, "simulated"] }
    let path = word.dropFirst(wav.count)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    guard let entries = try? FolderEntries(of: MediaPath(folder.isEmpty ? "." : folder)) else { return [] }
    let names = entries.folders.map { $0 + [UInt8(ascii: "/")] } + entries.songs
    return names.map { wav + folder + String(decoding: $0, as: UTF8.self) }
      .filter { $0.hasSuffix("/") || $0.hasSuffix(".wav") }
  }

  /// Returns the list `word` with its last name replaced by each mode that the names before it do not contain. For
  /// the first name, returns `none` too.
  static func backgroundModes(_ word: String) -> [String] {
    let start = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
    let given = start.split(separator: ",").map(String.init)
    let modes = BackgroundMode.known.map(\.rawValue).filter { !given.contains($0) }.map { start + $0 }
    return start.isEmpty ? modes + ["none"] : modes
  }

  /// Returns the time in `word` with each command after it, as in `3:home`; empty without a colon.
  static func schedule(_ word: String) -> [String] {
    guard let colon = word.firstIndex(of: ":") else { return [] }
    return PlayerCommand.beginnings.map { String(word[...colon]) + $0 }
  }

  /// Returns the words that may follow in `watch`.
  static func watch(before words: some Collection<String>) -> [String] {
    let words = Array(words)
    if words.last == "time" { return ["0.01", "0.1", "1"] }
    return ["time", "events"].filter { !words.contains($0) }
  }

  /// Returns the protocol's commands, unless one is given already.
  static func commands(before words: some Collection<String>) -> [String] {
    var rest = Array(words.drop { $0 != "ctl" }.dropFirst())
    while let option = rest.first, option.hasPrefix("-") {
      rest.removeFirst(min(rest.count, ["--socket", "--host"].contains(option) ? 2 : 1))
    }
    return rest.isEmpty ? CommandRow.all.map(\.name) : []
  }
}
