/// What a loop has to end when it is shut down, besides its handles: requests and open files.
///
/// From `link()` to `unlink()` the loop finds it, and it keeps itself alive: nobody else need hold it.
///
/// Ownership: LoopResource ===> itself (while it is linked), LoopResource ===> Loop, Loop ~~~> LoopResource (a list).
public class LoopResource {
  /// The loop it lives on.
  public let loop: Loop
  private unowned(unsafe) var next: LoopResource?
  private unowned(unsafe) var previous: LoopResource?
  private var isLinked = false

  init(_ loop: Loop) {
    loop.check()
    self.loop = loop
  }

  final func link() {
    _ = Unmanaged.passRetained(self)
    isLinked = true
    next = loop.firstResource
    next?.previous = self
    loop.firstResource = self
  }

  final func unlink() {
    guard isLinked else { return }
    isLinked = false
    if let previous { previous.next = next } else { loop.firstResource = next }
    next?.previous = previous
    next = nil
    previous = nil
    Unmanaged.passUnretained(self).release()
  }

  /// The loop is being shut down: nothing may be left when it has run once more.
  func loopWillClose() {}

  /// Those that `loop` has to end.
  static func all(of loop: Loop) -> [LoopResource] {
    var resources: [LoopResource] = []
    var next = loop.firstResource
    while let resource = next {
      resources.append(resource)
      next = resource.next
    }
    return resources
  }
}

@available(*, unavailable)
extension LoopResource: Sendable {}
