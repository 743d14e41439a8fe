import Headwater

// The elements of a stream as an asynchronous sequence, reduced to one value, in each kind of owner.

@MainActor func reducingOnMain(_ stream: Stream<Int>) async {
  print(await stream.values().reduce(into: []) { $0.append($1) } as [Int])
  print(await stream.values().reduce(0, +))
  print(await stream.values().reduce(into: 0) { $0 += $1 })
  print(await stream.values().first { $0 > 2 } ?? 0)
  print(await stream.values().first(where: { $0 > 2 }) ?? 0)
  print(await stream.values().contains(2), await stream.values().contains { $0 > 1 })
  print(await stream.values().allSatisfy { $0 > 1 })
  print(await stream.values().min() ?? 0, await stream.values().max() ?? 0)
}

@MainActor final class ReducingOwner {
  private let stream = PushStream<Int>()
  var sums: [Int] = []

  func run() async {
    sums.append(await stream.values().reduce(into: 0) { $0 += $1 })
    sums.append(await stream.values().reduce(0, +))
    sums.append(await stream.values().first { $0 > 2 } ?? 0)
  }
}

actor ReducingActor {
  private let stream = PushStream<Int>()
  var sums: [Int] = []

  func run() async {
    sums.append(await stream.values().reduce(into: 0) { $0 += $1 })
    sums.append(await stream.values().reduce(0, +))
    sums.append(await stream.values().first { $0 > 2 } ?? 0)
  }
}

enum ReducingError: Error { case failed }

@MainActor func reducingOfFailures(_ stream: Operation<Int, ReducingError>) async throws {
  print(try await stream.values().reduce(into: 0) { $0 += $1 })
  print(try await stream.values().reduce(0, +))
  do throws(ReducingError) {
    print(try await stream.values().reduce(0, +))
  } catch {
    print(error == .failed)
  }
}
