public import Streams

extension StreamProtocol where Failure == Never {
  /// Sends each element to `target` until the stream completes or the target is deallocated. Retains neither.
  ///
  /// Disposing the result ends the binding earlier. You need not retain it. Only streams that cannot fail can be bound; convert others, for
  /// example with `recover(with:)`. The compiler passes `file` and `line`, which name the binding in recordings and in reports of leaks.
  @inlinable @discardableResult
  public func bind<Target: BindingTargetProvider>(
    to target: Target, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Target.Value == Element {
    let target = target.bindingTarget
    let binding = Binding(isElsewhere: target.isElsewhere)
    let deliver = target.deliver
    if let lifetime = target.lifetime { binding.add(lifetime.observeEnded(file: file, line: line) { binding.end() }) }
    if binding.isDisposed { return binding }
    binding.add(
      observe(
        isolation: isolation, file: file, line: line, next: { if !deliver($0, binding.ticket) { binding.end() } },
        termination: { _ in binding.end() }))
    return binding
  }

  /// Sends each element to `target`, which takes optional values.
  @discardableResult
  public func bind<Target: BindingTargetProvider>(
    to target: Target, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Target.Value == Element? {
    map { Optional($0) }.bind(to: target, isolation: isolation, file: file, line: line)
  }
}

extension DisposeBagProviding {
  /// Sends each element of `stream` to `target` until the stream completes, or the target or this object is deallocated.
  public func bind<Source: StreamProtocol, Target: BindingTargetProvider>(
    _ stream: Source, to target: Target, isolation: (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) where Source.Failure == Never, Target.Value == Source.Element {
    disposeBag.add(stream.bind(to: target, isolation: isolation, file: file, line: line), isolation: isolation)
  }
}

infix operator <~ : BindingPrecedence

/// The precedence of bindings, lower than that of all operators in the streams and targets.
precedencegroup BindingPrecedence {
  associativity: right
  higherThan: AssignmentPrecedence
}

/// Binds the stream on the right to the target on the left. Sends each element to the target until the stream completes
/// or the target is deallocated.
@discardableResult
public func <~ <Target: BindingTargetProvider, Source: StreamProtocol>(
  target: Target, stream: Source
) -> any Disposable where Source.Failure == Never, Target.Value == Source.Element {
  stream.bind(to: target, file: "a binding by <~", line: 0)
}

/// Binds the stream on the right to the target on the left, which takes optional values.
@discardableResult
public func <~ <Target: BindingTargetProvider, Source: StreamProtocol>(
  target: Target, stream: Source
) -> any Disposable where Source.Failure == Never, Target.Value == Source.Element? {
  stream.bind(to: target, file: "a binding by <~", line: 0)
}
