public import Streams

extension MutablePropertyProtocol {
  /// Keeps two properties equal: `other` takes this one's value now, then each takes the other's changes, until one of them
  /// goes. Keeps neither.
  ///
  /// A change is not sent back to where it came from. Where observers change both in one delivery the last change wins.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to other: Other, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Other.Value == Value {
    let isCopying = Flag()
    func follow(_ source: some MutablePropertyProtocol<Value>, _ target: some MutablePropertyProtocol<Value>)
      -> any Disposable
    {
      // What is copied is the value of this moment: the delivery may be late, behind a newer value.
      source.changes.bind(
        to: BindingTarget(lifetime: target.bindingTarget.lifetime) { [weak source, weak target] _, _ in
          guard let source, let target else { return false }
          if isCopying.isSet { return true }
          isCopying.isSet = true
          target.value = source.value
          isCopying.isSet = false
          return true
        }, isolation: isolation)
    }
    other.value = value
    return CompositeDisposable([follow(self, other), follow(other, self)])
  }
}

private final class Flag {
  var isSet = false
}
