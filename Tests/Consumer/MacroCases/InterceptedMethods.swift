import DelegateMacros
import Properties
import Streams

// Methods that `@Intercepted` gives a slot, in each kind of type.

nonisolated final class InterceptedBox {
  var value = 0
}

final class InterceptedDocument: ReactiveCompatible {
  private var lines: [String] = []
  private var box = InterceptedBox()

  @Intercepted func append(_ line: String) throws -> Int {
    lines.append(line)
    return lines.count
  }

  @Intercepted func load(_ box: InterceptedBox) async throws -> InterceptedBox {
    let old = self.box
    self.box = box
    await wait(old)
    return old
  }

  private func wait(_ box: InterceptedBox) async {}
}

actor InterceptedStore {
  private var count = 0

  @Intercepted func add(_ number: Int) -> Int {
    count += number
    return count
  }

  @Intercepted func addLater(_ number: Int) async -> Int {
    await Task.yield()
    count += number
    return count
  }
}

@MainActor final class InterceptedScreen {
  private var text = ""

  @Intercepted func show(_ text: String) async {
    self.text = text
    await Task.yield()
  }
}

nonisolated struct InterceptedValue {
  private var count = 0

  @Intercepted mutating func add(_ number: Int) { count += number }
}

func useInterceptedDocument() throws -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let document = InterceptedDocument()
  document.reactive.signal(for: \.appendSlot).observeNext { line in lines.append(line) }.dispose(in: bag)
  document.appendSlot.results.observeNext { line, count in lines.append("\(count)") }.dispose(in: bag)
  _ = try document.append("first")
  return lines
}

nonisolated final class InterceptedService {
  private var box = InterceptedBox()

  @Intercepted nonisolated(nonsending) func stay(_ box: InterceptedBox) async -> InterceptedBox {
    await Task.yield()
    return box
  }

  @Intercepted @concurrent func leave(_ box: InterceptedBox) async throws -> InterceptedBox {
    await leaveAgain(self.box)
    return box
  }

  @concurrent private func leaveAgain(_ box: InterceptedBox) async {}
}
