/// A type whose instances have a bag. The members of the bag end with the instance.
///
/// ```swift
/// final class Clock: DisposeBagProviding {
///   let disposeBag = DisposeBag()
///   func start(_ ticks: Stream<Int>) { ticks.observeNext { print($0) }.dispose(in: disposeBag) }
/// }
/// ```
public protocol DisposeBagProviding: AnyObject {
  /// The bag of the instance.
  var disposeBag: DisposeBag { get }
}
