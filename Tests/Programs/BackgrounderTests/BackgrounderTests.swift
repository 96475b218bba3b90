import Testing

/// The example: its screens in virtual time, and some runs of the program as it is built.
@Suite(.timeLimit(.minutes(10))) enum BackgrounderTests {}
