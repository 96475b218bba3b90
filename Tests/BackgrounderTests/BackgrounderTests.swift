import Testing

/// The example as it is built: all of its screens, on real time, with all that they print.
@Suite(.timeLimit(.minutes(10))) enum BackgrounderTests {}
