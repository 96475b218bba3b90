// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: Swift 6 language mode (the default of these tools), warnings as errors, explicit imports.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Test targets that compute much: optimized in debug builds too, where that saves the tests more processor time than it costs
/// the build (PlaybackEngineTests: 20 s for 8). Nothing outside the package can depend on them, so that unsafe flags are allowed.
/// A module at once: RemoteMediaTests took 34 s to build instead of 43; the compiler warns that it ignores batches.
/// Parts of the package (see the end of this file) are built to be changed, or with a sanitizer: as fast as possible.
let computing: [SwiftSetting] =
  Context.environment["CONTINUO_TARGETS"] == nil
  ? strict + [.unsafeFlags(["-O", "-wmo", "-num-threads", "2"], .when(configuration: .debug))] : strict

/// Links Swift's libraries into the program. `-static-stdlib` alone leaves Foundation's own parts unresolved, since
/// the objects were compiled for the shared ones. Measured with Swift 6.3.1: peak memory 26.8 → 20.9 MB.
///
/// Packed relocations (glibc 2.36, which Debian 12 has) are 20 KB instead of the 2.2 MB that the loader has to read, with
/// control socket and all: 26.9 → 24.7 MB. The gold linker cannot make them.
///
/// `-static-stdlib` has the program export all its functions, for nobody: 20,000 names in which the loader looks for those that
/// the shared libraries need. Without them: 27.8 → 26.1 MB.
///
/// libstdc++, which Swift's runtime needs, is static too: the folder has a linker script of that name. The shared one
/// has 3,266 symbols to look up at each start: 2.2 million instructions and, as they are cold, a third of the time of
/// `continuo --version`; and 1.2 MB of peak memory.
///
/// `link/order` lists the functions of these libraries that `continuo` executes (see `.package/order`). They are put side by
/// side: peak memory of `play` 23.7 → 20.1 MB.
let staticFoundation = [
  "-L", Context.packageDirectory + "/.package/link",
  "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
  "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
  "-Xlinker", "--symbol-ordering-file=" + Context.packageDirectory + "/.package/link/order",
  "-Xlinker", "--no-warn-symbol-ordering",
]

/// Makes the metadata of generic types with the conformances that the compiler knows. By default their names are kept, which is
/// shorter, and at run time each conformance is a search among 7,800. Spares a start of `play` 1.5 million instructions.
let directMetadata = ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"]

/// Modules with the names of Apple's frameworks, so that a file that imports those compiles as it is. They are built, and
/// `canImport` finds them, only where a package depends on their product.
let appleFrameworks: [Target] = [
  "AVFAudio", "AVFoundation", "BackgroundTasks", "CoreLocation", "CoreMedia", "MediaPlayer", "UIKit",
].map { name in
  .target(
    name: name, dependencies: [name == "CoreLocation" ? "ContinuoLocation" : "Continuo"],
    path: "Sources/Apple/AppleFrameworks/\(name)", swiftSettings: strict)
}

/// For what only the program or Combine needs: a package that says `traits: []` does not fetch it.
let everything = TargetDependencyCondition.when(traits: ["Everything"])

let openCombine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"].map {
  .product(name: $0, package: "OpenCombine", condition: everything)
}

/// The floors, lowest first. A target depends on targets of its own floor and of those above it in this list; the gate
/// checks that, and that the folders are the same: `Sources/FLOOR/TARGET`, `Tests/FLOOR/TARGET`.
let floors: [(name: String, sources: [Target], tests: [Target])] = [
  (
    name: "System",
    sources: [
      .systemLibrary(name: "CThreads"),
      .target(
        name: "Clocks",
        dependencies: ["CThreads", .product(name: "DequeModule", package: "swift-collections")],
        swiftSettings: strict),
      .target(name: "MediaTime", swiftSettings: strict),
      // Descriptors, files, addresses, libraries opened at run time, back-off, and which sockets of the process are not
      // the application's.
      .target(name: "SystemSupport", dependencies: ["CThreads"], swiftSettings: strict),
      .target(name: "TextFormatting", swiftSettings: strict),
      // Opens Expat when it first reads XML.
      .target(name: "XMLReading", dependencies: ["SystemSupport"], swiftSettings: strict),
    ],
    tests: [
      .testTarget(name: "ClocksTests", dependencies: ["Clocks", "TestSupport"], swiftSettings: strict),
      .testTarget(
        name: "MediaTimeTests", dependencies: ["MediaTime", "TestSupport"], swiftSettings: computing),
      .testTarget(
        name: "SystemSupportTests", dependencies: ["SystemSupport", "TestSupport"], swiftSettings: strict),
      .testTarget(
        name: "TextFormattingTests", dependencies: ["TestSupport", "TextFormatting"], swiftSettings: strict),
      // What tests of several targets need; nothing here knows of sound servers.
      .target(name: "CTestSupport"),
    ]
  ),
  (
    name: "Sound",
    sources: [
      // No pkgConfig: with libpulse it prints "prohibited flag(s)" on every build.
      .systemLibrary(name: "CMPG123"),
      .systemLibrary(name: "CPulse"),
      .systemLibrary(name: "CMarks"),
      .systemLibrary(name: "CSoundFile"),
      .target(name: "AudioCore", dependencies: ["Clocks"], swiftSettings: strict),
      .target(name: "MP3Decoding", dependencies: ["AudioCore", "CMPG123"], swiftSettings: strict),
      // Chooses the decoder by the content. Opens libsndfile with the first file that needs it; it is not linked.
      .target(
        name: "SoundFileDecoding", dependencies: ["AudioCore", "CSoundFile", "MP3Decoding", "SystemSupport"],
        swiftSettings: strict),
      // SoundTouch is opened when it is needed, and never linked.
      .target(name: "TimeStretch", dependencies: ["AudioCore", "SystemSupport"], swiftSettings: strict),
      .target(
        name: "AudioOutput", dependencies: ["AudioCore", "Clocks", "SystemSupport"], swiftSettings: strict),
      .target(
        name: "PulseOutput", dependencies: ["AudioCore", "CPulse", "Clocks", "SystemSupport"],
        swiftSettings: strict),
      .target(
        name: "PlaybackEngine",
        dependencies: [
          "AudioCore", "Clocks", "MediaTime", "SystemSupport",
          .product(name: "DequeModule", package: "swift-collections"),
        ],
        swiftSettings: strict),
    ],
    tests: [
      .target(
        name: "TestSupport",
        dependencies: ["AudioCore", "AudioOutput", "CSoundFile", "CTestSupport", "Clocks", "SystemSupport"],
        swiftSettings: computing),
      .testTarget(name: "AudioCoreTests", dependencies: ["AudioCore", "Clocks"], swiftSettings: strict),
      .testTarget(
        name: "MP3DecodingTests",
        dependencies: ["AudioCore", "MP3Decoding", "SoundFileDecoding", "TestSupport"],
        resources: [.copy("Fixtures")],
        swiftSettings: computing),
      .testTarget(
        name: "SoundFileDecodingTests",
        dependencies: ["AudioCore", "MP3Decoding", "SoundFileDecoding", "TestSupport"],
        swiftSettings: computing),
      .testTarget(
        name: "TimeStretchTests", dependencies: ["AudioCore", "TimeStretch"], swiftSettings: computing),
      .testTarget(
        name: "AudioOutputTests", dependencies: ["AudioCore", "AudioOutput", "Clocks", "TestSupport"],
        swiftSettings: strict),
      .target(
        name: "PulseTestSupport",
        dependencies: ["AudioCore", "CTestSupport", "Clocks", "PulseOutput", "TestSupport"],
        swiftSettings: computing),
      .testTarget(
        name: "PulseOutputTests",
        dependencies: [
          "AudioCore", "CPulse", "Clocks", "PulseOutput", "PulseTestSupport", "SystemSupport", "TestSupport",
        ],
        // To compare with what libpulse computes.
        swiftSettings: strict, linkerSettings: [.linkedLibrary("pulse")]),
      .testTarget(
        name: "PlaybackEngineTests",
        dependencies: [
          "AudioCore", "AudioOutput", "CMarks", "Clocks", "MP3Decoding", "MediaTime", "PlaybackEngine",
          "TestSupport", .product(name: "DequeModule", package: "swift-collections"),
        ],
        swiftSettings: computing),
    ]
  ),
  (
    name: "Network",
    sources: [
      // Loads libcurl when the first URL is played; it is not linked, and nobody needs its headers.
      .target(name: "CCurl"),
      // What a transfer is, as values.
      .target(
        name: "Transfer", dependencies: ["Clocks", "SystemSupport", "TextFormatting"], swiftSettings: strict
      ),
      .target(
        name: "NetworkPlaylists", dependencies: ["Clocks", "Transfer", "XMLReading"], swiftSettings: strict),
      .target(
        name: "CurlTransport", dependencies: ["CCurl", "Clocks", "SystemSupport", "Transfer"],
        swiftSettings: strict),
      // A URL as a file that is whole, over ends of connections and processes.
      .target(
        name: "Downloading", dependencies: ["CThreads", "Clocks", "SystemSupport", "Transfer"],
        swiftSettings: strict),
      // The transfers of background sessions, in the application's process or in its phone's.
      .target(
        name: "TransferService", dependencies: ["Clocks", "Downloading", "SystemSupport", "Transfer"],
        swiftSettings: strict),
      .target(
        name: "RemoteMedia",
        dependencies: [
          "AudioCore", "CThreads", "Clocks", "MP3Decoding", "NetworkPlaylists", "SoundFileDecoding",
          "SystemSupport", "Transfer",
        ],
        swiftSettings: strict),
    ],
    tests: [
      // A server that does everything wrong, on loopback.
      .target(
        name: "NetworkTestSupport", dependencies: ["CTestSupport", "TestSupport", "Transfer"],
        swiftSettings: computing),
      .testTarget(
        name: "TransferTests", dependencies: ["Clocks", "NetworkTestSupport", "TestSupport", "Transfer"],
        swiftSettings: strict),
      .testTarget(
        name: "NetworkPlaylistsTests", dependencies: ["NetworkPlaylists", "TestSupport", "Transfer"],
        swiftSettings: strict),
      .testTarget(
        name: "CurlTransportTests",
        dependencies: [
          "Clocks", "CurlTransport", "NetworkTestSupport", "SystemSupport", "TestSupport", "Transfer",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "DownloadingTests",
        dependencies: ["Clocks", "ContinuoTesting", "Downloading", "TestSupport", "Transfer"],
        swiftSettings: computing),
      .testTarget(
        name: "RemoteMediaTests",
        dependencies: [
          "AudioCore", "AudioOutput", "Clocks", "CurlTransport", "MP3Decoding", "MediaTime",
          "NetworkPlaylists", "NetworkTestSupport", "PlaybackEngine", "RemoteMedia", "SoundFileDecoding",
          "TestSupport", "Transfer",
        ],
        swiftSettings: strict),
    ]
  ),
  (
    name: "Apple",
    sources: [
      .target(
        name: "AppLifecycle", dependencies: ["CThreads", "Clocks", "SystemSupport"], swiftSettings: strict),
      // The session of an environment's players, their suspension, and key-value observing.
      .target(
        name: "AudioSession",
        dependencies: ["AudioCore", "Clocks", "MediaTime", "PlaybackEngine", "Transfer"],
        swiftSettings: strict),
      .target(
        name: "MediaAssets",
        dependencies: ["AudioCore", "AudioSession", "Clocks", "MediaTime", "PlaybackEngine", "Transfer"],
        swiftSettings: strict),
      .target(
        name: "QueuePlayer",
        dependencies: [
          "AudioCore", "AudioSession", "Clocks", "MediaAssets", "MediaTime", "PlaybackEngine", "Transfer",
        ],
        swiftSettings: strict),
      .target(
        name: "NowPlaying", dependencies: ["AudioSession", "Clocks", "SystemSupport"], swiftSettings: strict
      ),
      .target(
        name: "Continuo",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioOutput", "AudioSession", "Clocks", "CurlTransport",
          "MP3Decoding", "MediaAssets", "MediaTime", "NetworkPlaylists", "NowPlaying", "PulseOutput",
          "QueuePlayer", "RemoteMedia", "SoundFileDecoding", "TextFormatting", "TimeStretch",
          "Transfer",
        ],
        swiftSettings: strict),
      .target(
        name: "ContinuoLocation",
        dependencies: ["AppLifecycle", "Clocks", "SystemSupport", "TextFormatting", "XMLReading"],
        swiftSettings: strict),
      // Brings FoundationNetworking, which costs more memory than the player: nobody has it who does not ask for it.
      .target(
        name: "ContinuoNetworking",
        dependencies: [
          "AppLifecycle", "Clocks", "CurlTransport", "Downloading", "SystemSupport", "TextFormatting",
          "Transfer", "TransferService",
        ],
        swiftSettings: strict),
      .target(
        name: "ContinuoTesting",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioOutput", "AudioSession", "CMarks", "Clocks", "Continuo",
          "ContinuoLocation", "ContinuoNetworking", "MP3Decoding", "MediaAssets", "MediaTime",
          "PlaybackEngine", "QueuePlayer", "RemoteMedia", "SoundFileDecoding", "SystemSupport", "Transfer",
          .product(name: "DequeModule", package: "swift-collections"),
        ],
        swiftSettings: strict),
      // OpenCombine, and the publishers of players, items and sessions.
      .target(
        name: "ContinuoCombine",
        dependencies: ["AudioSession", "ContinuoNetworking", "MediaTime", "QueuePlayer"] + openCombine,
        swiftSettings: strict),
      // Apple's name for it.
      .target(
        name: "Combine", dependencies: ["ContinuoCombine"], path: "Sources/Apple/AppleFrameworks/Combine",
        swiftSettings: strict),
    ] + appleFrameworks,
    tests: [
      .testTarget(
        name: "AppLifecycleTests",
        dependencies: [
          "AppLifecycle", "CThreads", "Clocks", "SystemSupport", "TestSupport",
          .product(name: "NIOCore", package: "swift-nio", condition: everything),
          .product(name: "NIOPosix", package: "swift-nio", condition: everything),
        ],
        swiftSettings: strict),
      .testTarget(
        name: "MediaAssetsTests",
        dependencies: ["AudioCore", "Continuo", "MediaAssets", "MediaTime", "TestSupport", "Transfer"],
        swiftSettings: strict),
      .testTarget(
        name: "QueuePlayerTests",
        dependencies: [
          "AudioCore", "AudioOutput", "AudioSession", "CMarks", "Clocks", "Continuo", "MediaAssets",
          "MediaTime", "NetworkTestSupport", "PlaybackEngine", "PulseOutput", "QueuePlayer", "TestSupport",
          "Transfer",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "NowPlayingTests",
        dependencies: [
          "AudioSession", "CTestSupport", "Clocks", "Continuo", "ContinuoTesting", "NowPlaying",
          "PulseTestSupport", "SystemSupport", "TestSupport",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "ContinuoTests",
        dependencies: [
          "AudioCore", "AudioSession", "Clocks", "Continuo", "NetworkPlaylists", "NetworkTestSupport",
          "PulseOutput", "PulseTestSupport", "RemoteMedia", "TestSupport", "Transfer",
        ],
        swiftSettings: strict),
      // Clients' code in the language mode in which most of it is written for Apple's systems.
      .testTarget(
        name: "ContinuoSwift5Tests", dependencies: ["Continuo"],
        swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
      // Run, not imported: an application with a main thread of its own.
      .executableTarget(
        name: "ContinuoProbe", dependencies: ["Continuo"], swiftSettings: strict),
      .testTarget(
        name: "ContinuoLocationTests",
        dependencies: [
          "AppLifecycle", "CTestSupport", "Clocks", "ContinuoLocation", "ContinuoTesting", "PulseTestSupport",
          "TestSupport", "XMLReading",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "ContinuoNetworkingTests",
        dependencies: [
          "AppLifecycle", "Clocks", "ContinuoNetworking", "ContinuoTesting", "CurlTransport", "Downloading",
          "NetworkTestSupport", "PulseTestSupport", "SystemSupport", "TestSupport", "Transfer",
          "TransferService",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "ContinuoCombineTests",
        dependencies: ["Combine", "Continuo", "ContinuoNetworking", "ContinuoTesting"],
        swiftSettings: strict),
      // Run, not imported: a program that tests kill.
      .executableTarget(
        name: "DownloadProbe", dependencies: ["Continuo", "ContinuoNetworking"],
        swiftSettings: strict),
      .testTarget(
        name: "ContinuoTestingTests",
        dependencies: [
          "AppLifecycle", "AudioCore", "Clocks", "Continuo", "ContinuoLocation", "ContinuoTesting",
          "MP3Decoding", "MediaTime", "QueuePlayer", "RemoteMedia", "SoundFileDecoding", "TestSupport",
          "Transfer",
        ],
        swiftSettings: strict),
    ]
  ),
  (
    name: "MPD",
    sources: [
      .target(name: "ControlProtocol", dependencies: ["TextFormatting"], swiftSettings: strict),
      .target(
        name: "ControlClient", dependencies: ["ControlProtocol", "SystemSupport", "TextFormatting"],
        swiftSettings: strict),
      .target(
        name: "ControlServer",
        dependencies: [
          "CThreads", "ControlProtocol", "SystemSupport",
          .product(name: "NIOCore", package: "swift-nio", condition: everything),
          .product(name: "NIOPosix", package: "swift-nio", condition: everything),
        ],
        swiftSettings: strict),
    ],
    tests: [
      // A server with handlers that tests write, and programs that they run.
      .target(
        name: "ControlTestSupport",
        dependencies: ["ControlProtocol", "ControlServer", "SystemSupport", "TestSupport"],
        swiftSettings: computing),
      .testTarget(
        name: "ControlProtocolTests", dependencies: ["ControlProtocol", "ControlTestSupport", "TestSupport"],
        swiftSettings: strict),
      .testTarget(
        name: "ControlClientTests",
        dependencies: [
          "ControlClient", "ControlProtocol", "ControlServer", "ControlTestSupport", "SystemSupport",
          "TestSupport", "TextFormatting",
        ],
        swiftSettings: strict),
      // Run, not imported: what a test needs a process of its own for.
      .executableTarget(
        name: "ControlServerProbe", dependencies: ["ControlProtocol", "ControlServer"], swiftSettings: strict),
      .testTarget(
        name: "ControlServerTests",
        dependencies: [
          "ControlProtocol", "ControlServer", "ControlTestSupport", "SystemSupport", "TestSupport",
          .product(name: "NIOCore", package: "swift-nio", condition: everything),
          .product(name: "NIOPosix", package: "swift-nio", condition: everything),
        ],
        swiftSettings: strict),
    ]
  ),
  (
    name: "Jukebox",
    sources: [
      .target(
        name: "Jukebox", dependencies: ["ControlProtocol", "SystemSupport", "Transfer"], swiftSettings: strict
      ),
      .target(
        name: "MusicFiles",
        dependencies: [
          "AudioCore", "Clocks", "ControlProtocol", "Jukebox", "NetworkPlaylists", "SoundFileDecoding",
          "SystemSupport", "TextFormatting", "Transfer",
        ],
        swiftSettings: strict),
      // Loads libsqlite3 when a library is first opened; it is not linked.
      .target(
        name: "MusicLibrary",
        dependencies: ["CThreads", "Clocks", "ControlProtocol", "Jukebox", "MusicFiles", "SystemSupport"],
        swiftSettings: strict),
      .target(
        name: "JukeboxPlayback",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioSession", "Clocks", "Continuo", "ControlProtocol", "Jukebox",
          "MediaAssets", "MediaTime", "MusicFiles", "QueuePlayer", "Transfer",
          .product(name: "DequeModule", package: "swift-collections"),
        ],
        swiftSettings: strict),
      .target(
        name: "MPDService",
        dependencies: [
          "AppLifecycle", "AudioCore", "CThreads", "Clocks", "Continuo", "ControlProtocol", "ControlServer",
          "Jukebox", "JukeboxPlayback", "MediaTime", "MusicFiles", "MusicLibrary", "NetworkPlaylists",
          "NowPlaying", "QueuePlayer", "SoundFileDecoding", "SystemSupport", "TextFormatting", "Transfer",
        ],
        swiftSettings: strict),
    ],
    tests: [
      .testTarget(
        name: "JukeboxTests",
        dependencies: ["ControlProtocol", "Jukebox", "SystemSupport", "TestSupport", "Transfer"],
        swiftSettings: strict),
      .testTarget(
        name: "MusicFilesTests",
        dependencies: [
          "AudioCore", "ControlProtocol", "Jukebox", "MusicFiles", "NetworkPlaylists", "SystemSupport",
          "TestSupport",
          "Transfer",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "MusicLibraryTests",
        dependencies: [
          "Clocks", "ControlProtocol", "Jukebox", "MusicFiles", "MusicLibrary", "SystemSupport",
          "TestSupport",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "JukeboxPlaybackTests",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioOutput", "Clocks", "Continuo", "ContinuoTesting",
          "ControlProtocol", "Jukebox", "JukeboxPlayback", "MediaTime", "MusicFiles", "QueuePlayer",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "MPDServiceTests",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioOutput", "Clocks", "Continuo", "ContinuoTesting",
          "ControlProtocol",
          "ControlServer", "ControlTestSupport", "Jukebox", "JukeboxPlayback", "MPDService", "MusicFiles",
          "MusicLibrary", "NetworkPlaylists", "NowPlaying", "QueuePlayer", "TestSupport", "Transfer",
        ],
        swiftSettings: strict),
    ]
  ),
  (
    name: "Programs",
    sources: [
      // Linked, not imported: arguments where /proc is not mounted.
      .target(name: "CArguments"),
      .target(
        name: "RunTimeline",
        dependencies: ["AppLifecycle", "Clocks", "MusicFiles", "SystemSupport", "TextFormatting"],
        swiftSettings: strict),
      .target(
        name: "ContinuoCommand",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioOutput", "CThreads", "Clocks", "Continuo", "ControlClient",
          "ControlProtocol", "ControlServer", "CurlTransport", "Downloading", "Jukebox", "JukeboxPlayback",
          "MP3Decoding", "MPDService", "MediaTime", "MusicFiles", "MusicLibrary", "NowPlaying", "PulseOutput",
          "QueuePlayer", "RemoteMedia", "RunTimeline", "SystemSupport", "TextFormatting", "Transfer",
          "TransferService",
          .product(name: "ArgumentParser", package: "swift-argument-parser", condition: everything),
        ],
        swiftSettings: strict + [.unsafeFlags(directMetadata, .when(configuration: .release))]),
      .executableTarget(
        name: "ContinuoMain", dependencies: ["CArguments", "ContinuoCommand"], swiftSettings: strict,
        linkerSettings: [.unsafeFlags(staticFoundation, .when(platforms: [.linux], configuration: .release))]),
      .executableTarget(
        name: "Backgrounder",
        dependencies: [
          "AppLifecycle", "Clocks", "Continuo", "ContinuoCommand", "ContinuoLocation", "CurlTransport",
          "Downloading", "MusicFiles", "PulseOutput", "RunTimeline", "SystemSupport", "Transfer",
          .product(name: "ArgumentParser", package: "swift-argument-parser", condition: everything),
        ],
        swiftSettings: strict,
        linkerSettings: [.unsafeFlags(staticFoundation, .when(platforms: [.linux], configuration: .release))]),
    ],
    tests: [
      .testTarget(
        name: "RunTimelineTests", dependencies: ["AppLifecycle", "Clocks", "RunTimeline"],
        swiftSettings: strict),
      .testTarget(
        name: "ContinuoCommandTests",
        dependencies: [
          "AppLifecycle", "AudioCore", "AudioOutput", "Clocks", "Continuo", "ContinuoCommand",
          "ContinuoTesting", "ControlClient", "ControlProtocol", "ControlServer", "ControlTestSupport",
          "Jukebox", "JukeboxPlayback", "MPDService", "MediaTime", "MusicFiles", "QueuePlayer", "RunTimeline",
          "SystemSupport", "TestSupport", "TextFormatting", "Transfer",
          .product(name: "ArgumentParser", package: "swift-argument-parser", condition: everything),
        ],
        swiftSettings: strict),
      .testTarget(
        name: "BackgrounderTests",
        dependencies: [
          "AppLifecycle", "Backgrounder", "ContinuoTesting", "NetworkTestSupport", "PulseOutput",
          "PulseTestSupport", "TestSupport",
          .product(name: "ArgumentParser", package: "swift-argument-parser", condition: everything),
        ],
        swiftSettings: strict),
      .testTarget(
        name: "DocumentationTests",
        dependencies: [
          "CTestSupport", "AppLifecycle", "Backgrounder", "Continuo", "ContinuoCommand", "ContinuoTesting",
          "PulseOutput", "PulseTestSupport", "QueuePlayer", "SystemSupport", "TestSupport",
          .product(name: "ArgumentParser", package: "swift-argument-parser", condition: everything),
        ],
        exclude: ["Programs"], swiftSettings: strict),
      // The programs on the documentation's pages, run by its tests.
      .executableTarget(
        name: "PlayerWithDispatchMain", dependencies: ["Continuo"],
        path: "Tests/Programs/DocumentationTests/Programs/PlayerWithDispatchMain", swiftSettings: strict),
      .executableTarget(
        name: "PlayerWithAsyncMain", dependencies: ["Continuo"],
        path: "Tests/Programs/DocumentationTests/Programs/PlayerWithAsyncMain", swiftSettings: strict),
      .executableTarget(
        name: "ApplicationOnADevice", dependencies: ["Continuo"],
        path: "Tests/Programs/DocumentationTests/Programs/ApplicationOnADevice", swiftSettings: strict),
      .executableTarget(
        name: "RenderToFile", dependencies: ["Continuo"],
        path: "Tests/Programs/DocumentationTests/Programs/RenderToFile", swiftSettings: strict),
      .testTarget(
        name: "EndToEndTests",
        // The program is run, not imported; every build of the tests builds it too.
        dependencies: [
          "Clocks", "ContinuoProbe", "DownloadProbe", "NetworkTestSupport", "PulseOutput", "PulseTestSupport",
          "TestSupport",
        ],
        swiftSettings: strict),
      // Runs the program with other people's clients.
      .testTarget(
        name: "ClientTests",
        dependencies: ["CTestSupport", "PulseTestSupport", "SystemSupport", "TestSupport"],
        exclude: ["Programs"],
        swiftSettings: strict),
    ]
  ),
]

for floor in floors {
  for target in floor.sources where target.path == nil {
    target.path = "Sources/\(floor.name)/\(target.name)"
  }
  for target in floor.tests where target.path == nil { target.path = "Tests/\(floor.name)/\(target.name)" }
}

let package = Package(
  name: "continuo",
  products: [
    .library(name: "AppleFrameworks", targets: appleFrameworks.map(\.name)),
    .library(name: "Combine", targets: ["Combine"]),
    .library(name: "Continuo", targets: ["Continuo"]),
    .library(name: "ContinuoCombine", targets: ["ContinuoCombine"]),
    .library(name: "ContinuoLocation", targets: ["ContinuoLocation"]),
    .library(name: "ContinuoNetworking", targets: ["ContinuoNetworking"]),
    .library(name: "ContinuoTesting", targets: ["ContinuoTesting"]),
    .executable(name: "continuo", targets: ["ContinuoMain"]),
  ],
  traits: [
    .default(enabledTraits: ["Everything"]),
    // One only: SwiftPM 6.3 passes several to the compiler in any order, and each other order builds everything anew.
    .trait(
      name: "Everything",
      description:
        "The program continuo, and Combine. A package that uses neither says `traits: []`, and fetches less."),
  ],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: floors.flatMap { $0.sources + $0.tests }
)

// The benchmark is built for those who ask for it: `CONTINUO_BENCH=1 swift run -c release continuo-bench`.
if Context.environment["CONTINUO_BENCH"] != nil {
  package.products.append(.executable(name: "continuo-bench", targets: ["ContinuoBench"]))
  package.targets.append(
    .executableTarget(
      name: "ContinuoBench",
      dependencies: [
        "CThreads", .product(name: "ArgumentParser", package: "swift-argument-parser", condition: everything),
      ],
      path: "Sources/Programs/ContinuoBench",
      swiftSettings: strict))
}

// A module of tests at once, also without optimization: otherwise each process of the compiler expands its macros again
// (TransferTests: 13 s of processor time instead of 18). The compiler warns that it ignores batches.
for target in package.targets where target.type == .test {
  target.swiftSettings?.append(.unsafeFlags(["-wmo", "-num-threads", "2"], .when(configuration: .debug)))
}

// Builds and tests some targets and what they need, instead of all: `CONTINUO_TARGETS=TransferTests,JukeboxTests swift test`.
// Tests that run the program need its target too: `CONTINUO_TARGETS=EndToEndTests,ContinuoMain swift test`.
if let names = Context.environment["CONTINUO_TARGETS"] {
  var kept = Set<String>()
  var waiting = names.split(separator: ",").map(String.init)
  while let name = waiting.popLast() {
    guard kept.insert(name).inserted else { continue }
    guard let target = package.targets.first(where: { $0.name == name }) else {
      fatalError("CONTINUO_TARGETS names \(name), which is no target")
    }
    for case .byNameItem(let name, _) in target.dependencies { waiting.append(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { product in
    switch product {
    case let product as Product.Library: !product.targets.allSatisfy(kept.contains)
    case let product as Product.Executable: !product.targets.allSatisfy(kept.contains)
    default: false
    }
  }
}
