#if Peers
import ReactiveKit
import ReactiveSwift
import RxSwift

/// The sides of RxSwift, ReactiveSwift, and ReactiveKit in three workloads. Only `Scripts/bench peers` builds them.
enum Peers {
  static let subjects = [
    rxSwift { $0.asObservable() },
    reactiveSwift { $0 },
    reactiveKit { $0.toSignal() },
  ]

  static let chains = [
    rxSwift { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 } },
    reactiveSwift { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 } },
    reactiveKit { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 } },
  ]

  static let subscribing = [
    Side(library: .rxSwift) {
      let subject = RxSwift.PublishSubject<Int>()
      return { count in
        for _ in 0..<count { subject.map { $0 &+ 1 }.subscribe(onNext: { total.value &+= $0 }).dispose() }
      }
    },
    Side(library: .reactiveSwift) {
      let (signal, input) = ReactiveSwift.Signal<Int, Never>.pipe()
      return { count in
        for _ in 0..<count { signal.map { $0 &+ 1 }.observeValues { total.value &+= $0 }?.dispose() }
        withExtendedLifetime(input) {}
      }
    },
    Side(library: .reactiveKit) {
      let subject = ReactiveKit.PassthroughSubject<Int, Never>()
      return { count in
        for _ in 0..<count { subject.map { $0 &+ 1 }.observeNext { total.value &+= $0 }.dispose() }
      }
    },
  ]

  private static func rxSwift(_ chain: @escaping (RxSwift.PublishSubject<Int>) -> Observable<Int>) -> Side {
    Side(library: .rxSwift) {
      let subject = RxSwift.PublishSubject<Int>()
      let subscription = chain(subject).subscribe(onNext: { total.value &+= $0 })
      return { count in
        for number in 0..<count { subject.onNext(number) }
        withExtendedLifetime(subscription) {}
      }
    }
  }

  private static func reactiveSwift(
    _ chain: @escaping (ReactiveSwift.Signal<Int, Never>) -> ReactiveSwift.Signal<Int, Never>
  ) -> Side {
    Side(library: .reactiveSwift) {
      let (signal, input) = ReactiveSwift.Signal<Int, Never>.pipe()
      let subscription = chain(signal).observeValues { total.value &+= $0 }
      return { count in
        for number in 0..<count { input.send(value: number) }
        withExtendedLifetime(subscription) {}
      }
    }
  }

  private static func reactiveKit(
    _ chain: @escaping (ReactiveKit.PassthroughSubject<Int, Never>) -> ReactiveKit.Signal<Int, Never>
  ) -> Side {
    Side(library: .reactiveKit) {
      let subject = ReactiveKit.PassthroughSubject<Int, Never>()
      let subscription = chain(subject).observeNext { total.value &+= $0 }
      return { count in
        for number in 0..<count { subject.send(number) }
        withExtendedLifetime(subscription) {}
      }
    }
  }
}
#else
/// Empty without the trait `Peers`, so that no other measurement resolves those libraries.
enum Peers {
  static let subjects: [Side] = []
  static let chains: [Side] = []
  static let subscribing: [Side] = []
}
#endif
