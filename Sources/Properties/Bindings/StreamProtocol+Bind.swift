public import Streams

extension StreamProtocol where Failure == Never {
  /// Gives each element to `target`, until the stream completes or the target goes. Keeps neither.
  ///
  /// What it returns ends the binding early; it need not be kept. Only streams that cannot fail bind: convert others with
  /// `recover(with:)` and its siblings.
  @inlinable @discardableResult
  public func bind<Target: BindingTargetProvider>(
    to target: Target, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Target.Value == Element {
    let target = target.bindingTarget
    let binding = Binding(isElsewhere: target.isElsewhere)
    let deliver = target.deliver
    if let lifetime = target.lifetime { binding.add(lifetime.observeEnded { binding.end() }) }
    if binding.isDisposed { return binding }
    binding.add(
      observe(
        isolation: isolation, next: { if !deliver($0, binding.ticket) { binding.end() } },
        termination: { _ in binding.end() }))
    return binding
  }

  /// Gives each element to `target`, which takes optional values.
  @discardableResult
  public func bind<Target: BindingTargetProvider>(
    to target: Target, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Target.Value == Element? {
    map { Optional($0) }.bind(to: target, isolation: isolation)
  }
}

extension DisposeBagProviding {
  /// Gives each element of `stream` to `target`, until the stream completes, the target goes or this object does.
  public func bind<Source: StreamProtocol, Target: BindingTargetProvider>(
    _ stream: Source, to target: Target, isolation: (any Actor)? = #isolation
  ) where Source.Failure == Never, Target.Value == Source.Element {
    disposeBag.add(stream.bind(to: target, isolation: isolation), isolation: isolation)
  }
}

infix operator <~ : BindingPrecedence

/// Binds looser than everything that makes streams and targets.
precedencegroup BindingPrecedence {
  associativity: right
  higherThan: AssignmentPrecedence
}

/// Binds the stream on the right to the target on the left. The same as `stream.bind(to: target)`.
@discardableResult
public func <~ <Target: BindingTargetProvider, Source: StreamProtocol>(
  target: Target, stream: Source
) -> any Disposable where Source.Failure == Never, Target.Value == Source.Element { stream.bind(to: target) }

/// Binds the stream on the right to the target on the left, which takes optional values.
@discardableResult
public func <~ <Target: BindingTargetProvider, Source: StreamProtocol>(
  target: Target, stream: Source
) -> any Disposable where Source.Failure == Never, Target.Value == Source.Element? { stream.bind(to: target) }
