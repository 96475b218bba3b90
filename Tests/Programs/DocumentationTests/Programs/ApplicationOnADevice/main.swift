import Continuo
import Foundation

// The device, with one application that is not running yet, and what it reports.
let device = Device(modes: BackgroundModes([.audio]))
Device.current = device
device.connect()
device.onRecord = { record in print(record.event) }
device.onTermination = { report in print(report) }

// The application.
let app = App(songs: CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) })
device.application.delegate = app

// The person who holds the device.
Task {
  await device.launch()
  try await Task.sleep(for: .seconds(1))
  await device.pressHomeButton()
  try await Task.sleep(for: .seconds(1))
  await device.foreground()
  try await Task.sleep(for: .seconds(1))
  await device.terminate()
  exit(0)
}
dispatchMain()
