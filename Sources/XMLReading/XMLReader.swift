/// What was wrong with a document.
package struct XMLProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line at which it was seen, from 1; nil if it concerns no line.
  package let line: Int?
  /// A few words for a person.
  package let reason: String

  package init(line: Int?, reason: String) {
    self.line = line
    self.reason = reason
  }

  /// The reason with its line.
  package var description: String { line.map { "line \($0): \(reason)" } ?? reason }
}

/// Takes a document's elements, in their order. A method that throws ends the reading.
package protocol XMLHandler {
  /// An element begins. Its name is as written, with a prefix if it has one.
  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem)
  /// The element that began last and has not ended ends. `text` is all text directly in it.
  mutating func ended(_ name: String, text: String) throws(XMLProblem)
}

/// Reads XML: UTF-8, UTF-16 and Latin-1. A document type declaration is refused, so there are no entities but XML's own five,
/// and nothing outside of the document is ever opened.
package enum XMLReader {
  /// The deepest that elements may lie in each other.
  package static let depthLimit = 64
  /// The longest text of one element, in bytes.
  package static let textLimit = 1 << 20

  private static let library = Result<ExpatLibrary, XMLProblem> { () throws(XMLProblem) in
    try ExpatLibrary.open()
  }

  /// Reads a whole document and returns the handler. Blocks for as long as that takes.
  package static func read<Handler: XMLHandler>(
    _ bytes: [UInt8], _ handler: Handler
  ) throws(XMLProblem) -> Handler {
    var handler = handler
    let reading = XMLReading()
    let parser = try ExpatHandle(try library.get(), for: reading)
    // Pieces, so that a handler that throws is heard soon.
    let pieceSize = 1 << 14
    var start = 0
    repeat {
      let end = min(start + pieceSize, bytes.count)
      let trouble = bytes[start..<end].withUnsafeBufferPointer {
        parser.parse($0, isLast: end == bytes.count)
      }
      for event in reading.takeEvents() {
        do throws(XMLProblem) {
          switch event.kind {
          case .began(let name, let attributes): try handler.began(name, attributes: attributes)
          case .ended(let name, let text): try handler.ended(name, text: text)
          case .refused(let reason): throw XMLProblem(line: nil, reason: reason)
          }
        } catch {
          throw XMLProblem(line: error.line ?? event.line, reason: error.reason)
        }
      }
      if let trouble { throw XMLProblem(line: reading.line(), reason: trouble) }
      start = end
    } while start < bytes.count
    return handler
  }
}

/// What one parser has read and nobody has taken yet. Used on one thread only.
final class XMLReading {
  struct Event {
    enum Kind {
      case began(String, [String: String])
      case ended(String, text: String)
      case refused(String)
    }
    var kind: Kind
    var line: Int
  }

  /// The line at which the parser is, from 1.
  var line: () -> Int = { 1 }
  /// Ends the parsing.
  var stop: () -> Void = {}

  private var events: [Event] = []
  private var open: [(name: String, text: [UInt8])] = []
  private var isRefused = false

  func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  func began(_ name: String, _ attributes: [String: String]) {
    guard !isRefused else { return }
    guard open.count < XMLReader.depthLimit else { return refuse("elements too deep in each other") }
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
      return refuse("too much text in one element")
    }
    open[open.count - 1].text += text
  }

  func doctype() { refuse("a document type declaration is not taken") }

  private func refuse(_ reason: String) {
    guard !isRefused else { return }
    isRefused = true
    add(.refused(reason))
    stop()
  }

  private func add(_ kind: Event.Kind) { events.append(Event(kind: kind, line: line())) }
}
