/// A type whose instances have a bag: what is put into it ends with the instance.
///
/// ```swift
/// final class Clock: DisposeBagProviding {
///   let disposeBag = DisposeBag()
///   func start(_ ticks: Stream<Int>) { ticks.observeNext { print($0) }.dispose(in: disposeBag) }
/// }
/// ```
public protocol DisposeBagProviding: AnyObject {
  /// The bag that goes with the instance.
  var disposeBag: DisposeBag { get }
}
