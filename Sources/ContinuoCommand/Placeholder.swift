@main
struct ContinuoCommand {
  static func main() {}
}
