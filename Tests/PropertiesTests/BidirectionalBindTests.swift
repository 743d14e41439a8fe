import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// `bidirectionalBind`: both sides have equal values, whatever observers and setters do with them.
@Suite("Bindings both ways", .noLiveResources) struct BidirectionalBindTests {
  /// An object whose level is at most 10.
  private final class Volume: LifetimeProviding {
    var level = 0 { didSet { level = min(level, 10) } }
    let turned = PushStream<Void>()
    private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }

    var control: ControlProperty<Int> {
      ControlProperty(of: self, get: { $0.level }, set: { $0.level = $1 }, changes: turned)
    }
    func turn(to level: Int) {
      self.level = level
      turned.next()
    }
  }

  /// A value that cannot be compared.
  private struct Opaque {
    var number: Int
  }

  @Test(arguments: [true, false]) func `an observer that corrects one side corrects both`(_ isBefore: Bool) {
    let (one, two) = (Property(1), Property(1))
    let bag = DisposeBag()
    func correct() {
      two.observeNext { [unowned two] in if $0 > 10 { two.value = 10 } }.dispose(in: bag)
      one.observeNext { [unowned one] in if $0 < 0 { one.value = 0 } }.dispose(in: bag)
    }
    if isBefore { correct() }
    one.bidirectionalBind(to: two)
    if !isBefore { correct() }
    one.value = 20
    #expect((one.value, two.value) == (10, 10))
    two.value = -4
    #expect((one.value, two.value) == (0, 0))
    two.value = 30
    #expect((one.value, two.value) == (10, 10))
  }

  @Test func `an observer that corrects values which cannot be compared corrects both sides`() {
    let (one, two) = (Property(Opaque(number: 1)), Property(Opaque(number: 2)))
    one.bidirectionalBind(to: two)
    let bag = DisposeBag()
    two.observeNext { [unowned two] in if $0.number > 10 { two.value.number = 10 } }.dispose(in: bag)
    let seen = one.map(\.number).record()
    one.value.number = 20
    #expect((one.value.number, two.value.number) == (10, 10))
    two.value.number = 5
    #expect((one.value.number, two.value.number) == (5, 5))
    #expect(seen.elements == [1, 20, 10, 5])
  }

  @Test(arguments: [false, true], [false, true])
  func `of the values that an observer sets on both sides in one delivery, the last wins`(
    _ isBefore: Bool, _ isOneLast: Bool
  ) {
    let (one, two) = (Property(0), Property(0))
    let bag = DisposeBag()
    func set() {
      one.changes.observeNext { [unowned one, unowned two] element in
        if element != 1 { return }
        (isOneLast ? two : one).value = 7
        (isOneLast ? one : two).value = 9
      }.dispose(in: bag)
    }
    if isBefore { set() }
    one.bidirectionalBind(to: two).dispose(in: bag)
    if !isBefore { set() }
    one.value = 1
    #expect((one.value, two.value) == (9, 9))
    bag.dispose()
  }

  @Test func `what a setter takes instead of what it is given goes to the other side`() {
    let volume = Volume()
    let level = DynamicProperty(
      of: volume, get: { $0.level }, set: { $0.level = $1 }, changes: Stream<Void>.never(), reportsSetting: false)
    let wanted = Property(20)
    wanted.bidirectionalBind(to: level)
    #expect(wanted.value == 10)
    wanted.value = 3
    #expect(volume.level == 3)
    wanted.value = 40
    #expect(wanted.value == 10)
  }

  @Test func `an owner and a property: what is corrected on the way goes to both`() {
    let volume = Volume()
    let wanted = Property(20)
    let bag = DisposeBag()
    wanted.observeNext { [unowned wanted] in if $0 < 2 { wanted.value = 2 } }.dispose(in: bag)
    volume.control.bidirectionalBind(to: wanted)
    #expect((volume.level, wanted.value) == (10, 10))
    volume.turn(to: 1)
    #expect((volume.level, wanted.value) == (2, 2))
    wanted.value = 50
    #expect((volume.level, wanted.value) == (10, 10))
    wanted.value = 0
    #expect((volume.level, wanted.value) == (2, 2))
  }

  @Test(arguments: [false, true])
  func `an owner and a property of values that cannot be compared`(isPropertyFirst: Bool) {
    final class Holder: LifetimeProviding {
      var value = Opaque(number: 0)
      let changed = PushStream<Void>()
      private let token = Lifetime.Token()
      var lifetime: Lifetime { Lifetime(token) }
    }
    let (holder, property) = (Holder(), Property(Opaque(number: 1)))
    let control = ControlProperty(of: holder, get: { $0.value }, set: { $0.value = $1 }, changes: holder.changed)
    let binding = isPropertyFirst ? property.bidirectionalBind(to: control) : control.bidirectionalBind(to: property)
    #expect(holder.value.number == 1)
    property.value.number = 2
    #expect(holder.value.number == 2)
    holder.value.number = 3
    holder.changed.next()
    #expect(property.value.number == 3)
    binding.pause()
    binding.resume()
    binding.dispose()
    property.value.number = 4
    #expect(holder.value.number == 3)
  }

  @Test func `values that do not equal themselves come to rest`() {
    let (one, two) = (Property(0.0), Property(0.0))
    one.bidirectionalBind(to: two)
    let seen = one.changes.record()
    one.value = .nan
    two.value = .nan
    #expect(one.value.isNaN && two.value.isNaN)
    #expect(seen.elements.count == 1)
  }

  @Test func `a chain and a ring of bindings come to rest`() {
    let properties = (0..<4).map { Property($0) }
    for (one, two) in zip(properties, properties.dropFirst()) { one.bidirectionalBind(to: two) }
    properties[3].bidirectionalBind(to: properties[0])
    #expect(properties.map(\.value) == [0, 0, 0, 0])
    for (index, property) in properties.enumerated() {
      property.value = 10 + index
      #expect(properties.map(\.value) == Array(repeating: 10 + index, count: 4))
    }
  }

  @Test(arguments: 0..<100) func `whatever observers of both sides set, the sides end equal`(_ seed: Int) {
    var random = SeededGenerator(UInt64(seed))
    let (one, two) = (Property(0), Property(0))
    let bag = DisposeBag()
    var credit = 0
    func watch(_ property: Property<Int>) {
      let target = Bool.random(using: &random) ? one : two
      let (divisor, value) = (Int.random(in: 2...4, using: &random), Int.random(in: 0...50, using: &random))
      property.changes.observeNext { [unowned target] in
        if $0 % divisor == 0, credit > 0 {
          credit -= 1
          target.value = value
        }
      }.dispose(in: bag)
    }
    for _ in 0..<3 { watch(Bool.random(using: &random) ? one : two) }
    one.bidirectionalBind(to: two).dispose(in: bag)
    for _ in 0..<3 { watch(Bool.random(using: &random) ? one : two) }
    for _ in 0..<20 {
      credit = 6
      (Bool.random(using: &random) ? one : two).value = Int.random(in: 0...50, using: &random)
      #expect(one.value == two.value)
    }
  }

  @Test(arguments: [true, false]) func `a bag drops the binding when one of both properties has gone`(_ isFirst: Bool) {
    let bag = DisposeBag()
    let kept = Property(0)
    var other: Property<Int>? = Property(1)
    let binding = isFirst ? other!.bidirectionalBind(to: kept) : kept.bidirectionalBind(to: other!)
    binding.dispose(in: bag)
    #expect(!binding.isDisposed && bag.count == 1)
    other = nil
    #expect(binding.isDisposed && bag.count == 0)
  }

  @Test(arguments: [true, false]) func `a bag drops the binding when an owner or its property has gone`(_ isOwner: Bool)
  {
    let bag = DisposeBag()
    var volume: Volume? = Volume()
    var wanted: Property<Int>? = Property(1)
    let binding = volume!.control.bidirectionalBind(to: wanted!)
    binding.dispose(in: bag)
    #expect(!binding.isDisposed && bag.count == 1)
    if isOwner { volume = nil } else { wanted = nil }
    #expect(binding.isDisposed && bag.count == 0)
  }
}
