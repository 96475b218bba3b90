/// One output in the answer of `outputs`.
package struct OutputReply: Hashable, Sendable {
  /// What `enableoutput` and its like take.
  package var id: UInt32
  /// Its name for people.
  package var name: String
  /// What drives it, such as `pulse`.
  package var plugin: String
  /// Whether it is open.
  package var isEnabled: Bool

  /// An output.
  package init(id: UInt32, name: String, plugin: String, isEnabled: Bool) {
    self.id = id
    self.name = name
    self.plugin = plugin
    self.isEnabled = isEnabled
  }

  /// The lines.
  package func write(into reply: inout Reply) {
    reply.append("outputid", id)
    reply.append("outputname", name)
    reply.append("plugin", plugin)
    reply.append("outputenabled", isEnabled)
  }
}
