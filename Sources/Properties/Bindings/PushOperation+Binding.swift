public import Streams

extension PushOperation: BindingTargetProvider {
  /// Sends each bound element, for as long as the subject exists. The binding does not retain the subject. The end of the bound
  /// stream ends the binding and not the subject, so that several streams can be bound to it.
  public var bindingTarget: BindingTarget<Element> {
    BindingTarget(lifetime: nil) { [weak self] element, _ in
      guard let self else { return false }
      next(element)
      return true
    }
  }
}
