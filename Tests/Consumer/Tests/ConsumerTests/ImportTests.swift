import Foundation
import Testing

/// The names and the libraries that a program gets from each product.
@Suite("Imports")
struct ImportTests {
  @Test(arguments: [
    ("Streams", "Stream.sequence(1...3).observeNext { print($0) }.dispose(in: DisposeBag())"),
    (
      "Properties",
      """
      let bag = DisposeBag()
      let doubled: Stream<Int> = Property(1).toStream().map { $0 * 2 }
      doubled.observeNext { print($0) }.dispose(in: bag)
      """
    ),
    (
      "Stores",
      """
      let bag = DisposeBag()
      let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0)
      store.map { $0 * 2 }.observeNext { print($0) }.dispose(in: bag)
      store.map { $0 }.bind(to: Property(0)).dispose(in: bag)
      """
    ),
    (
      "Delegates",
      """
      let bag = DisposeBag()
      let slot = InterceptedMethod<Void, Int>()
      let calls: Stream<Int> = slot.stream
      calls.filter { $0 > 1 }.observeNext { print($0) }.dispose(in: bag)
      try slot.answer { print($0) }.dispose(in: bag)
      _ = Property(1).value
      """
    ),
    (
      "Callbacks",
      """
      let bag = DisposeBag()
      let numbers = Stream<Int>.registering { observer in
        RepeatingCallback<Int, Void> { observer.next($0) }
      } register: { _ in
      } unregister: { _ in
      }
      numbers.map { $0 + 1 }.observeNext { print($0) }.dispose(in: bag)
      """
    ),
    (
      "EventLoops",
      """
      let bag = DisposeBag()
      Stream.interval(.seconds(1)).take(3).observeNext { print($0) }.dispose(in: bag)
      Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
      """
    ),
    (
      "FileWatching",
      """
      let bag = DisposeBag()
      Operation.fileEvents(at: ["."]).filter { $0.path.description.isEmpty }.observe { _ in }.dispose(in: bag)
      Loop.main.run()
      """
    ),
    (
      "FoundationSupport",
      """
      import Foundation
      let bag = DisposeBag()
      NotificationCenter.default.reactive.notifications(named: nil).map(\\.name)
        .observeNext { print($0) }.dispose(in: bag)
      """
    ),
    (
      "DelegateMacros",
      """
      @Proxied protocol Watcher: AnyObject { func didRead(_ bytes: Int) }
      let bag = DisposeBag()
      WatcherProxy().didRead.stream.observeNext { print($0) }.dispose(in: bag)
      """
    ),
  ])
  func `a module alone gives what its API names`(_ module: String, _ source: String) async throws {
    let features = ["MemberImportVisibility", "InternalImportsByDefault"].flatMap { ["-enable-upcoming-feature", $0] }
    for options in [[], features] {
      let result = try await Compiler.check("import \(module)\n\(source)", options: options)
      #expect(result.accepts, "\(result.output)")
    }
  }

  @Test func `headwater does not bring Foundation, neither its names nor its code`() async throws {
    let result = try await Compiler.check("import Headwater\n_ = NotificationCenter.default")
    #expect(!result.accepts && result.output.contains("cannot find 'NotificationCenter'"), "\(result.output)")

    // The libraries that the objects of its modules ask the linker for.
    let modules = [
      "Headwater", "Streams", "Properties", "Stores", "Delegates", "Callbacks", "EventLoops", "FileWatching",
      "DequeModule",
    ]
    let objects = try modules.flatMap { module in
      let directory = Compiler.products.appendingPathComponent("\(module).build").path
      let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".o") }
      try #require(!names.isEmpty)
      return names.map { "\(directory)/\($0)" }
    }
    try await Compiler.withFolder { folder in
      let libraries = folder.appendingPathComponent("libraries").path
      let extracted = try await Compiler.run(["swift-autolink-extract"] + objects + ["-o", libraries], in: folder)
      try #require(extracted.accepts, "\(extracted.output)")
      let text = try String(contentsOfFile: libraries, encoding: .utf8)
      #expect(text.contains("-lswiftCore") && !text.contains("Foundation"), "\(text)")
    }
  }
}
