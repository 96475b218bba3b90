/// One output in the answer of `outputs`.
public struct OutputReply: Hashable, Sendable {
  /// What `enableoutput` and its like take.
  public var id: UInt32
  /// Its name for people.
  public var name: String
  /// What drives it, such as `pulse`.
  public var plugin: String
  /// Whether it is open.
  public var isEnabled: Bool

  /// An output.
  public init(id: UInt32, name: String, plugin: String, isEnabled: Bool) {
    self.id = id
    self.name = name
    self.plugin = plugin
    self.isEnabled = isEnabled
  }

  /// The lines.
  public func write(into reply: inout Reply) {
    reply.append("outputid", id)
    reply.append("outputname", name)
    reply.append("plugin", plugin)
    reply.append("outputenabled", isEnabled)
  }
}
