package struct XMLProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line of the error, from 1; nil if the error concerns no line.
  package let line: Int?
  package let reason: String

  package init(line: Int?, reason: String) {
    self.line = line
    self.reason = reason
  }

  package var description: String { line.map { "line \($0): \(reason)" } ?? reason }
}

/// Receives the elements of a document in order. A method that throws stops the reading.
package protocol XMLHandler {
  /// Called at the start of an element. The name is as written, including any prefix.
  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem)
  /// Called at the end of the innermost open element. `text` is all text directly in it.
  mutating func ended(_ name: String, text: String) throws(XMLProblem)
}

/// Reads XML in UTF-8, UTF-16 and Latin-1. Document type declarations are refused, so that XML's own five
/// entities are the only ones, and nothing outside the document is ever opened.
package enum XMLReader {
  /// The maximum depth of nested elements.
  package static let depthLimit = 64
  /// The maximum length of an element's text, in bytes.
  package static let textLimit = 1 << 20

  private static let library = Result<ExpatLibrary, XMLProblem> { () throws(XMLProblem) in
    try ExpatLibrary.open()
  }

  /// Reads a whole document and returns the handler. Blocks until the document is read. Throws the handler's error or
  /// the document's first error, with its line, or an error without a line if Expat cannot be used.
  package static func read<Handler: XMLHandler>(
    _ bytes: [UInt8], _ handler: Handler
  ) throws(XMLProblem) -> Handler {
    var handler = handler
    let reading = XMLEvents()
    let parser = try ExpatHandle(try library.get(), for: reading)
    // The document is parsed in pieces, so that an error of the handler stops the parser soon.
    let pieceSize = 1 << 14
    var start = 0
    repeat {
      let end = min(start + pieceSize, bytes.count)
      let trouble = bytes[start..<end].withUnsafeBufferPointer {
        parser.parse($0, isLast: end == bytes.count)
      }
      for (event, line) in reading.takeEvents() {
        do throws(XMLProblem) {
          switch event {
          case .began(let name, let attributes): try handler.began(name, attributes: attributes)
          case .ended(let name, let text): try handler.ended(name, text: text)
          case .refused(let reason): throw XMLProblem(line: nil, reason: reason)
          }
        } catch {
          throw XMLProblem(line: error.line ?? line, reason: error.reason)
        }
      }
      if let trouble { throw XMLProblem(line: reading.line(), reason: trouble) }
      start = end
    } while start < bytes.count
    return handler
  }
}

/// The events of one parser that were not taken yet. Used on one thread only.
final class XMLEvents {
  enum Event {
    case began(String, [String: String])
    case ended(String, text: String)
    case refused(String)
  }

  /// The current line of the parser, from 1.
  var line: () -> Int = { 1 }
  /// Stops the parser before the end of the document.
  var stop: () -> Void = {}

  private var events: [(event: Event, line: Int)] = []
  private var open: [(name: String, text: [UInt8])] = []
  private var isRefused = false

  func takeEvents() -> [(event: Event, line: Int)] {
    defer { events = [] }
    return events
  }

  func began(_ name: String, _ attributes: [String: String]) {
    guard !isRefused else { return }
    guard open.count < XMLReader.depthLimit else {
      return refuse("elements nested too deeply: more than \(XMLReader.depthLimit)")
    }
    open.append((name, []))
    add(.began(name, attributes))
  }

  func ended() {
    guard !isRefused, let last = open.popLast() else { return }
    add(.ended(last.name, text: String(decoding: last.text, as: UTF8.self)))
  }

  func read(_ text: UnsafeRawBufferPointer) {
    guard !isRefused, !open.isEmpty else { return }
    guard open[open.count - 1].text.count + text.count <= XMLReader.textLimit else {
      return refuse("more than \(XMLReader.textLimit) bytes of text in one element")
    }
    open[open.count - 1].text += text
  }

  func doctype() { refuse("document type declarations are not supported") }

  private func refuse(_ reason: String) {
    guard !isRefused else { return }
    isRefused = true
    add(.refused(reason))
    stop()
  }

  private func add(_ event: Event) { events.append((event, line())) }
}
