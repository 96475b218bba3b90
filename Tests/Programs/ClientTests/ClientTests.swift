import TestSupport
import Testing

/// `continuo serve` as it is built, driven by the clients that people use, and beside a real mpd. One after the other:
/// every suite has servers of its own, and a starved machine makes clients give up.
@Suite(.blocksThread, .timeLimit(.minutes(10))) enum ClientTests {}
