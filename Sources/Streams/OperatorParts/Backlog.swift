/// The upstream of an operator that holds elements. It is paused while the observer is paused, and at the high watermark.
@usableFromInline
final class Backlog {
  @usableFromInline let link: Subscription
  private let marks: Watermarks
  /// The operator, or nil if what it holds are not elements, as the streams of `concat(with:)`.
  private let name: StaticString?
  private var isFull = false
  private var hasReported = false
  /// True while the observer is paused.
  @usableFromInline private(set) var isHeld = false

  @usableFromInline
  init(_ link: Subscription, _ marks: Watermarks, name: StaticString?) {
    self.link = link
    self.marks = marks
    self.name = name
  }

  /// Pauses the upstream at the high watermark. Returns true while it is paused for that.
  @discardableResult @usableFromInline
  func didGrow(to count: Int) -> Bool {
    record(count)
    if count >= marks.high, !isFull {
      isFull = true
      link.pause()
    }
    if let name, count - marks.high > marks.high, !hasReported {
      hasReported = true
      Diagnostics.report(
        """
        \(name) holds more than twice its high watermark of \(marks.high) elements, because its source is faster than its observer and cannot be \
        paused. Throttle the source, or drop elements before this operator.
        """)
    }
    return isFull
  }

  /// Resumes the upstream at the low watermark. Returns true while it stays paused for that.
  @discardableResult @usableFromInline
  func didShrink(to count: Int) -> Bool {
    record(count)
    guard isFull, count <= marks.low else { return isFull }
    isFull = false
    if !isHeld { link.resume() }
    return isFull
  }

  #if Tracing
  private var recorded: (name: String, count: Int)?

  @usableFromInline
  func record(_ count: Int) {
    guard Trace.isOn, let name, count != recorded?.count ?? 0 else { return }
    let full = recorded?.name ?? "\(name) #\(Trace.newID())"
    recorded = (full, count)
    Trace.count(full, count)
  }

  deinit { if let recorded, recorded.count > 0, Trace.isOn { Trace.count(recorded.name, 0) } }
  #else
  @inline(__always)
  private func record(_ count: Int) {}
  #endif

  @usableFromInline
  func hold() {
    isHeld = true
    link.pause()
  }

  @usableFromInline
  func release() {
    isHeld = false
    if !isFull { link.resume() }
  }
}
