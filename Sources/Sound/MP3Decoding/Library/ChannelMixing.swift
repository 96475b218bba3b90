import Glibc

/// Changes the channels of interleaved frames: mono to stereo by duplication, stereo to mono by the mean.
enum ChannelMixing {
  @inline(__always)
  static func convert(
    _ input: UnsafePointer<Float>, channels: Int, to output: UnsafeMutablePointer<Float>,
    channels wanted: Int, count: Int
  ) {
    if channels == wanted {
      memcpy(output, input, count * channels * MemoryLayout<Float>.size)
    } else if wanted == 2 {
      for index in 0..<count {
        let sample = input[index]
        output[2 * index] = sample
        output[2 * index + 1] = sample
      }
    } else {
      for index in 0..<count { output[index] = (input[2 * index] + input[2 * index + 1]) * 0.5 }
    }
  }
}
