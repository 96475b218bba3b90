import TestSupport
import Testing

/// The command as it is built, against real sound servers. All suites, one after the other: they measure time, and
/// compare sound that a starved machine would tear.
@Suite(.blocksThread, .timeLimit(.minutes(10))) enum EndToEndTests {}
