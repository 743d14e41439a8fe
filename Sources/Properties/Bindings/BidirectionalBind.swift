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

extension ControlProperty {
  /// Keeps an owner's value and a property equal: the owner takes the property's value now and each time it changes, the
  /// property takes what the owner reports, until one of them goes. Keeps neither, and does not send a change back.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to property: Other, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Other.Value == Value {
    let isCopying = Flag()
    let owner = bindingTarget
    let toOwner = property.bind(
      to: BindingTarget(lifetime: owner.lifetime) { value, _ in isCopying.isSet || owner.deliver(value, nil) },
      isolation: isolation)
    let fromOwner = changed.bind(
      to: BindingTarget(lifetime: property.bindingTarget.lifetime) { [weak property] value, _ in
        guard let property else { return false }
        isCopying.isSet = true
        property.value = value
        isCopying.isSet = false
        return true
      }, isolation: isolation)
    return CompositeDisposable([toOwner, fromOwner])
  }
}

private final class Flag {
  var isSet = false
}
