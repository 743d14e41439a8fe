/// A type whose instances have a bag: what is put into it ends with the instance.
public protocol DisposeBagProviding: AnyObject {
  /// The bag that goes with the instance.
  var disposeBag: DisposeBag { get }
}
