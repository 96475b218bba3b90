import Foundation

/// The cost of a large library: the first scan, a start with a known library, queries and memory.
struct LibraryBench {
  let bench: Bench
  /// The number of songs, in albums of ten.
  let songs: Int
  let continuo: String?
  let mpd: String?

  private struct Reading {
    var scan = 0.0, scanCPU = 0.0, start = 0.0, startCPU = 0.0, memory = 0.0
    var answers: [Double] = []
  }

  /// The time limit for a scan, in seconds.
  private static let patience = 1_800.0
  /// The number of measurements of each request.
  private static let repetitions = 15

  /// Chosen to find few songs, so that the search is measured and not the reply.
  private static let requests = [
    "list Artist", "list Album", "list Album group AlbumArtist", "list Album group Artist",
    "list Title group Album", "count group Genre", "count group Artist",
    "find Artist \"Amber Birch 20\"", "find Album \"Birch Album 7-1\"", "search Title \"song 4242\"",
    "search any \"song 4242\"", "search file \"song 4242\"", "find \"(Title =~ 'Song 424.$')\"",
  ]

  func run() throws -> Table {
    let music = bench.scratch + "/library"
    Bench.say("library: writing \(grouped(songs)) files")
    try SongTree.make(songs, in: music)
    var readings: [(name: String, reading: Reading)] = []
    var failures: [String] = []
    for program in programs(music) {
      Bench.say("library: \(program.name)")
      do { readings.append((program.name, try measure(program))) } catch {
        failures.append("\(program.name): \(error)")
      }
    }
    var table = Table(title: "A library of \(grouped(songs)) songs", header: ["what"] + readings.map(\.name))
    func add(_ what: String, _ digits: Int, _ value: (Reading) -> Double) {
      table.rows.append([what] + readings.map { fixed(value($0.reading), digits) })
    }
    add("first scan, s", 1, \.scan)
    add("its CPU, s", 1, \.scanCPU)
    add("start, known, until all is looked at again, s", 2, \.start)
    add("its CPU, s", 2, \.startCPU)
    for (index, request) in Self.requests.enumerated() { add("\(request), ms", 2) { $0.answers[index] } }
    add("memory at the end, MB", 1, \.memory)
    table.failures = failures
    table.notes = [
      "Files with tags and six frames of silence, in the system's cache. Both serve while they scan.",
      "Requests: median of \(Self.repetitions), the whole reply read.",
    ]
    return table
  }

  private func programs(_ music: String) -> [ServerProgram] {
    let own = bench.scratch
    return [
      continuo.map { path in
        ServerProgram(name: "continuo") { folder in
          [
            path, "serve", "--output", "simulated", "--state", own + "/library-state", "--home", music,
            "--socket", folder + "/socket",
          ]
        }
      },
      mpd.map { path in
        ServerProgram(name: "mpd") { folder in
          let configuration = """
            bind_to_address "\(folder)/socket"
            log_file "\(folder)/log"
            music_directory "\(music)"
            db_file "\(own)/library-mpd"
            zeroconf_enabled "no"
            auto_update "no"
            max_output_buffer_size "65536"
            audio_output {
              type "null"
              name "null"
              mixer_type "null"
            }

            """
          try configuration.write(toFile: folder + "/mpd.conf", atomically: true, encoding: .utf8)
          return [path, "--no-daemon", folder + "/mpd.conf"]
        }
      },
    ].compactMap { $0 }
  }

  private func measure(_ program: ServerProgram) throws -> Reading {
    var reading = Reading()
    (reading.scan, reading.scanCPU) = try withServer(program) { _, _ in }
    (reading.start, reading.startCPU) = try withServer(program) { server, connection in
      for request in Self.requests {
        let bytes = Array((request + "\n").utf8)
        let times = try (0..<Self.repetitions).map { _ in
          let begin = monotonicSeconds()
          try connection.exchange(bytes)
          return monotonicSeconds() - begin
        }
        reading.answers.append(Readings(times).median * 1_000)
      }
      reading.memory = try server.residentMB()
    }
    return reading
  }

  /// Starts the server and waits for the end of its scan. Returns the duration and the CPU time, in seconds.
  private func withServer(
    _ program: ServerProgram, _ body: (ControlServer, ControlConnection) throws -> Void
  ) throws -> (Double, Double) {
    let begin = monotonicSeconds()
    let server = try ControlServer(program, bench: bench)
    defer { server.stop() }
    let connection = try server.connect()
    // Continuo scans at startup by itself.
    if !server.isContinuo { try connection.ask("update") }
    while try connection.ask("status").value("updating_db") != nil {
      guard monotonicSeconds() - begin < Self.patience else { throw BenchError("the scan does not end") }
      usleep(5_000)
    }
    let result = (monotonicSeconds() - begin, try server.cpuSeconds())
    guard try connection.ask("stats").value("songs") == String(songs) else {
      throw BenchError("not all songs are known")
    }
    try body(server, connection)
    return result
  }
}

/// Files with the tags of songs: artists with ten albums of ten songs.
enum SongTree {
  private static let words = [
    "Amber", "Birch", "Cedar", "Dusk", "Ember", "Frost", "Gale", "Haven", "Iris", "Jade", "Kelp", "Lark",
    "Moss", "North", "Opal", "Pine", "Quartz", "Reed", "Slate", "Thorn",
  ]

  static func make(_ count: Int, in folder: String) throws {
    // Silence: MPEG 1, layer III, 128 kbit/s, 44.1 kHz.
    let sound = Data((0..<6).flatMap { _ in [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413) })
    for album in 0..<(count / 10) {
      let artist = album / 10
      let name = "\(word(artist)) \(word(artist / 20)) \(artist)"
      let title = "\(word(artist + album % 10)) Album \(artist)-\(album % 10)"
      let place = "\(folder)/\(name)/\(title)"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      for track in 0..<10 {
        let song = "\(word(artist * 7 + album * 3 + track)) Song \(album * 10 + track)"
        let tag = tag([
          ("TIT2", song), ("TPE1", name), ("TPE2", name), ("TALB", title), ("TRCK", "\(track + 1)/10"),
          ("TDRC", "\(1_960 + album % 60)"), ("TCON", word(artist % 12)),
          ("TCOM", word(artist + track) + " Composer"),
        ])
        try (tag + sound).write(to: URL(fileURLWithPath: "\(place)/\(track + 1) \(song).mp3"))
      }
    }
  }

  private static func word(_ number: Int) -> String { words[number % words.count] }

  /// Returns an ID3v2.4 tag, with all frames in UTF-8.
  private static func tag(_ frames: [(name: String, text: String)]) -> Data {
    func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 127) } }
    var content: [UInt8] = []
    for (name, text) in frames {
      content += Array(name.utf8)
      content += size(text.utf8.count + 1)
      content += [0, 0, 3]
      content += Array(text.utf8)
    }
    var tag = Data("ID3".utf8)
    tag += [4, 0, 0] + size(content.count)
    return tag + content
  }
}
