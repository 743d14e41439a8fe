import Properties
import Streams
import StreamsTesting
import Testing

/// `ControlEvent`, `ControlProperty`, and `DynamicProperty`.
@Suite("Controls", .noLiveResources) struct ControlTests {
  /// A field that a user types into.
  private final class Field: LifetimeProviding {
    var text = "" { didSet { writes += 1 } }
    var writes = 0
    private let typed = PushStream<Void>()
    private let clicks = PushStream<Int>()
    private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }

    func type(_ more: String) {
      text += more
      typed.next()
    }

    func click(_ number: Int) { clicks.next(number) }

    var clicked: ControlEvent<Int> { ControlEvent(clicks, of: self) }
    var typedText: ControlProperty<String> {
      ControlProperty(of: self, get: { $0.text }, set: { $0.text = $1 }, changes: typed)
    }
    var changes: PushStream<Void> { typed }
  }

  @Test func `a control event gives nothing at once and completes with its owner, which it does not keep`() {
    var field: Field? = Field()
    let event = field!.clicked
    field?.click(1)
    let record = event.record()
    let odd = event.filter { $0 % 2 == 1 }.map { "\($0)" }.record()
    #expect(record.events.isEmpty)
    field?.click(2)
    field?.click(3)
    weak let reference = field
    field = nil
    #expect(reference == nil)
    #expect(record.events == [.next(2), .next(3), .completed])
    #expect(odd.events == [.next("3"), .completed])
    #expect(event.record().events == [.completed])
  }

  @Test func `a dynamic property whose owner has gone has the value that was read last`() {
    for isNested in [false, true] {
      var field: Field? = Field()
      let changes = field!.changes
      let text = DynamicProperty(of: field!, get: { $0.text }, set: { $0.text = $1 }, changes: changes)
      let record = text.record()
      let bag = DisposeBag()
      if isNested {
        // The owner goes while a report waits for this delivery.
        text.changes.observeNext { _ in
          field?.text = "ab"
          changes.next()
          #expect(text.value == "ab")
          field = nil
        }.dispose(in: bag)
        field?.text = "a"
        changes.next()
      } else {
        field?.text = "ab"
        #expect(text.value == "ab")
        field = nil
      }
      #expect(text.value == "ab")
      #expect(text.record().events == [.next("ab"), .completed])
      #expect(record.events == (isNested ? [.next(""), .next("a"), .completed] : [.next(""), .completed]))
    }
  }

  @Test func `a control property gives its value at once, then what the owner reports`() {
    var field: Field? = Field()
    let text = field!.typedText
    let (record, changed) = (text.record(), text.changed.record())
    field?.type("a")
    field?.text = "set by the program"
    field?.type("!")
    #expect(record.elements == ["", "a", "set by the program!"])
    #expect(changed.elements == ["a", "set by the program!"])
    #expect(text.record().elements == ["set by the program!"])
    field = nil
    #expect(record.isCompleted && changed.isCompleted)
    #expect(text.record().events == [.completed])
  }

  @Test func `what the owner reports while an observer gets its first value comes after it`() {
    let field = Field()
    let early = field.typedText.record()
    var seen: [String] = []
    let bag = DisposeBag()
    field.typedText.observeNext { [unowned field] text in
      seen.append(text)
      if text.count < 3 { field.type("x") }
    }.dispose(in: bag)
    #expect(seen == ["", "x", "xx", "xxx"])
    #expect(early.elements == ["", "x", "xx", "xxx"])
    var more: [String] = []
    field.typedText.take(2).observeNext { [unowned field] text in
      more.append(text)
      field.type("y")
    }.dispose(in: bag)
    #expect(more == ["xxx", "xxxy"])
  }

  @Test func `streams can be bound to a control property`() {
    let push = PushStream<String>()
    var field: Field? = Field()
    let record = field!.typedText.record()
    push.bind(to: field!.typedText)
    push.next("bound")
    #expect(field?.text == "bound")
    #expect(record.elements == [""])
    field = nil
    #expect(push.observerCount == 0)
  }

  @Test(arguments: [false, true])
  func `a control property is bound both ways with a property, which either side begins`(isPropertyFirst: Bool) {
    var field: Field? = Field()
    let model = Property("model")
    if isPropertyFirst {
      model.bidirectionalBind(to: field!.typedText)
    } else {
      field!.typedText.bidirectionalBind(to: model)
    }
    #expect(field?.text == "model")
    field?.type("!")
    #expect(model.value == "model!")
    // Typing causes one write. The value is not written back.
    #expect(field?.writes == 2)
    model.value = "new"
    #expect(field?.text == "new")
    field = nil
    #expect(model.observerCount == 0)
  }

  @Test func `a dynamic property reads and writes its object`() {
    let field = Field()
    let text = DynamicProperty(of: field, get: { $0.text }, set: { $0.text = $1 }, changes: field.changes)
    let record = text.record()
    field.type("a")
    #expect(text.value == "a")
    text.value = "b"
    #expect(field.text == "b")
    field.text = "unreported"
    #expect(text.value == "unreported")
    #expect(text.record().elements == ["unreported"])
    #expect(record.elements == ["", "a", "b"])
  }

  @Test func `one whose object reports what is set does not report it twice`() {
    let field = Field()
    let text = DynamicProperty(
      of: field, get: { $0.text },
      set: { field, value in
        field.text = ""
        field.type(value)
      }, changes: field.changes, reportsSetting: false)
    let record = text.record()
    text.value = "b"
    #expect(record.elements == ["", "b"])
  }

  @Test func `when its object has gone it has the last value, ignores writes, and has completed`() {
    var field: Field? = Field()
    let text = DynamicProperty(of: field!, get: { $0.text }, set: { $0.text = $1 }, changes: field!.changes)
    let (record, view) = (text.record(), text.readOnlyView)
    field?.type("last")
    weak let reference = field
    field = nil
    #expect(reference == nil)
    #expect(text.value == "last")
    text.value = "dropped"
    #expect(text.value == "last")
    #expect(record.events == [.next(""), .next("last"), .completed])
    #expect(view.record().events == [.next("last"), .completed])
  }

  @Test func `one that does not report what is set has it when its object has gone`() {
    var field: Field? = Field()
    let text = DynamicProperty(
      of: field!, get: { $0.text }, set: { $0.text = $1 }, changes: field!.changes, reportsSetting: false)
    let record = text.record()
    text.value = "set"
    field = nil
    #expect(text.value == "set")
    #expect(record.events == [.next(""), .completed])
  }

  @Test func `an optional value may be nil`() {
    final class Owner: LifetimeProviding {
      var value: Int? = 1
      private let token = Lifetime.Token()
      var lifetime: Lifetime { Lifetime(token) }
    }
    let owner = Owner()
    let property = DynamicProperty(
      of: owner, get: { $0.value }, set: { $0.value = $1 }, changes: Stream<Void>.never())
    let record = property.record()
    property.value = nil
    #expect(owner.value == nil)
    #expect(property.value == nil)
    property.value = 2
    #expect(record.elements == [1, nil, 2])
  }

  @Test func `a dynamic property that goes completes and ends its bindings`() {
    let field = Field()
    let push = PushStream<String>()
    var text: DynamicProperty<String>? = DynamicProperty(
      of: field, get: { $0.text }, set: { $0.text = $1 }, changes: field.changes)
    let record = text?.record()
    push.bind(to: text!)
    push.next("a")
    text = nil
    push.next("b")
    #expect(field.text == "a")
    #expect(push.observerCount == 0)
    #expect(record?.events == [.next(""), .next("a"), .completed])
    #expect(field.changes.observerCount == 0)
  }

  @Test func `it is bound both ways with a property`() {
    let field = Field()
    let text = DynamicProperty(of: field, get: { $0.text }, set: { $0.text = $1 }, changes: field.changes)
    let model = Property("model")
    model.bidirectionalBind(to: text)
    #expect(field.text == "model")
    field.type("!")
    #expect(model.value == "model!")
    model.value = "new"
    #expect(field.text == "new")
    #expect(field.writes == 3)
  }
}
