import ArgumentParser
import Continuo

/// The categories of an audio session by their names on the command line.
enum CategoryChoice: String, CaseIterable, ExpressibleByArgument {
  case playback, ambient, record
  case playAndRecord = "play-and-record"
  case soloAmbient = "solo-ambient"
  case multiRoute = "multi-route"

  var category: AVAudioSession.Category {
    switch self {
    case .playback: .playback
    case .ambient: .ambient
    case .record: .record
    case .playAndRecord: .playAndRecord
    case .soloAmbient: .soloAmbient
    case .multiRoute: .multiRoute
    }
  }
}

/// The options of a category by their names on the command line.
enum CategoryOptionChoice: String, CaseIterable, ExpressibleByArgument {
  case defaultToSpeaker = "default-to-speaker"
  case mixWithOthers = "mix-with-others"
  case duckOthers = "duck-others"
  case allowAirPlay = "allow-airplay"
  case allowBluetooth = "allow-bluetooth"

  var option: AVAudioSession.CategoryOptions {
    switch self {
    case .defaultToSpeaker: .defaultToSpeaker
    case .mixWithOthers: .mixWithOthers
    case .duckOthers: .duckOthers
    case .allowAirPlay: .allowAirPlay
    case .allowBluetooth: .allowBluetoothHFP
    }
  }
}
