import ContinuoCommand

// All code is in the library, where tests reach it. This target exists for the way the program is linked: with
// Swift's libraries inside, which takes 6 MB off its peak memory and 4 ms off its start (see Package.swift).
CommandLineTool.main()
