/// A closure in the table.
@usableFromInline
final class CallbackBox<each Argument, Result>: AnyCallbackBox {
  // A struct around the closure: this compiler cannot keep a bare variadic function everywhere.
  @usableFromInline
  struct Body {
    @usableFromInline let call: (repeat each Argument) -> Result

    @inlinable
    init(_ call: @escaping (repeat each Argument) -> Result) { self.call = call }
  }

  // Constant: C calls it without a retain, a release or an exclusivity check.
  @usableFromInline let body: Body

  @inlinable
  init(
    _ threads: CallingThreads, isCounted: Bool = true, onEnd: (() -> Void)? = nil,
    _ body: @escaping (repeat each Argument) -> Result
  ) {
    self.body = Body(body)
    super.init(threads, isCounted: isCounted, onEnd: onEnd)
  }

  /// How messages name it: its arguments and its result.
  @usableFromInline static var signature: String {
    var names: [String] = []
    repeat names.append(String(describing: (each Argument).self))
    return "(\(names.joined(separator: ", "))) -> \(Result.self)"
  }

  /// Finds the box and runs its closure; `otherwise` where there is none that may be called now, which is counted.
  ///
  /// A call that `isLast` ends the callback before the closure runs, so that this sees it ended; the box stays for the call.
  @inlinable @inline(__always)
  static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, isLast: Bool = false, otherwise: () -> Result
  ) -> Result {
    switch CallbackSlots.enter(ContextID(context)) {
    case .success(let entry):
      if isLast { CallbackSlots.giveBack(context) }
      defer { CallbackSlots.leave(entry) }
      return entry.box._withUnsafeGuaranteedRef { box in
        // Compares two addresses: no subclass of a box exists.
        if type(of: box) != CallbackBox.self { wrongType(box, signature) }
        return unsafeDowncast(box, to: CallbackBox.self).body.call(repeat each argument)
      }
    case .failure(let reason):
      DroppedCalls.add(reason, context, Self.self, signature)
      return otherwise()
    }
  }
}

/// Stops the program if the types of a C closure are not those of the box behind its context.
@usableFromInline @inline(never)
func wrongType(_ box: AnyCallbackBox, _ expected: String) -> Never {
  fatalError(
    """
    A C closure names \(expected), but the context it was given is that of \(type(of: box)). Write the same types where \
    the callback is made and in the closure, and pass each function its own context.
    """)
}
