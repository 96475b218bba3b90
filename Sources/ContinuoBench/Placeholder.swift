@main
struct ContinuoBench {
  static func main() {}
}
