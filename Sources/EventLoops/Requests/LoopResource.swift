/// An object that a loop must end when it is shut down, besides its handles: a request or an open file.
///
/// Between `link()` and `unlink()`, the loop can find it and it retains itself, so no other code needs to retain it.
///
/// Ownership: LoopResource ===> itself (while it is linked), LoopResource ===> Loop, Loop ~~~> LoopResource (a list).
public class LoopResource {
  /// The loop of the object.
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

  /// Called when the loop is being shut down. The object must end in the loop's next run.
  func loopWillClose() {}

  /// Returns the objects that `loop` must end.
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
