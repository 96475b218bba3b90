package import AudioOutput

extension SimulatedOutput {
  /// The ideal device and the bad ones, each with one fault, for suites that run over all of them. With each of them
  /// a queue can be played to its end; those that interrupt do so within the first two seconds.
  package static let personalities: [(name: String, personality: Personality)] = [
    ("ideal", Personality()),
    (
      "tiny blocks",
      Personality {
        $0.blockFrames = 64
        $0.latency = 0.005
      }
    ),
    (
      "one huge block",
      Personality {
        $0.blockFrames = 32_768
        $0.latency = 2
      }
    ),
    ("no rewinding", Personality { $0.undroppable = 0.05 }),
    ("slow start", Personality { $0.startDelay = 0.08 }),
    (
      "prebuffering",
      Personality {
        $0.prebufferFrames = 4096
        $0.latency = 0.2
      }
    ),
    (
      "eager",
      Personality {
        $0.rendersWhileStopped = true
        $0.prebufferFrames = 2048
      }
    ),
    ("fast clock", Personality { $0.clockDrift = 0.0005 }),
    ("slow clock", Personality { $0.clockDrift = -0.0005 }),
    ("coarse timing", Personality { $0.timingStepFrames = 1024 }),
    ("late timing", Personality { $0.timingInterval = 0.1 }),
    ("early underrun notice", Personality { $0.earlyNotice = 0.05 }),
    ("never acknowledges the end", Personality { $0.acknowledgesEnd = false }),
    ("slow connection", Personality { $0.connectDelay = 0.5 }),
    (
      "refuses twice",
      Personality {
        $0.failingConnections = 2
        $0.connectDelay = 0.02
      }
    ),
    (
      "dies and comes back",
      Personality {
        $0.death = 1.2
        $0.revival = 3
      }
    ),
    (
      "suspended for a while",
      Personality {
        $0.suspension = 0.7..<1.9
        $0.startDelay = 0.02
      }
    ),
    ("moved", Personality { $0.move = 0.9 }),
    (
      "nothing right",
      Personality {
        $0.blockFrames = 1500
        $0.latency = 0.25
        $0.undroppable = 0.04
        $0.startDelay = 0.03
        $0.prebufferFrames = 6000
        $0.clockDrift = 0.0002
        $0.timingStepFrames = 512
        $0.timingInterval = 0.05
        $0.earlyNotice = 0.05
        $0.connectDelay = 0.1
        $0.failingConnections = 1
        $0.death = 1.7
        $0.revival = 2.2
        $0.suspension = 0.8..<1.1
      }
    ),
  ]
}
