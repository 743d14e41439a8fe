import DelegateMacros
import Streams

// A protocol that is isolated to the main actor, with some nonisolated requirements.

@MainActor final class ScreenOwner {
  weak var delegate: (any ScreenDelegate)?
}

@Proxied @MainActor protocol ScreenDelegate: AnyObject {
  func screen(_ screen: ScreenOwner, didShow text: String)
  func screen(_ screen: ScreenOwner, mayShow text: String) -> Bool
  nonisolated func note(_ text: String) -> Int
  nonisolated var count: Int { get }
  var title: String { get set }
  subscript(row: Int) -> String { get set }
  @Defaulted func isShown(_ row: Int) -> Bool
  @Defaulted nonisolated func isFree(_ row: Int) -> Bool
  func load(_ screen: ScreenOwner, retries: Int) async throws -> ScreenOwner
  nonisolated func store(_ box: ScreenBox) async -> ScreenBox
  @Defaulted func reload(_ screen: ScreenOwner) async -> ScreenOwner
  var owner: ScreenOwner { get async throws }
  nonisolated var box: ScreenBox { get async }
}

extension ScreenDelegate {
  func isShown(_ row: Int) -> Bool { self[row].isEmpty }
  nonisolated func isFree(_ row: Int) -> Bool { row > count }
  func reload(_ screen: ScreenOwner) async -> ScreenOwner { screen }
}

nonisolated final class ScreenBox {
  var value = 0
}

@MainActor func useScreenDelegate() throws -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let screen = ScreenOwner()
  let proxy = ScreenDelegateProxy.install(on: screen, at: \.delegate)
  proxy.dispose(in: bag)
  proxy.didShow.stream.observeNext { screen, text in lines.append(text) }.dispose(in: bag)
  try proxy.mayShow.answer { screen, text in screen.delegate != nil }
  proxy.note.replaceAnswer { text in text.count }
  proxy.countSlot.replaceAnswer { 1 }
  proxy.subscriptGetter.replaceAnswer { row in "row \(row)" }
  screen.delegate?.screen(screen, didShow: "hello")
  lines.append("\(screen.delegate?.screen(screen, mayShow: "") == true) \(proxy.note("abc"))")
  lines.append("\(proxy.isShown(1)) \(proxy.isFree(2))")
  return lines
}
