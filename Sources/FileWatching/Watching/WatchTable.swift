/// Somebody who wants to hear what happens in a directory. The kernel has one watch for each directory and tells it a
/// number; several of these may share it.
class Watch {
  /// The watch's number, or -1.
  final var number: Int32 = -1
  /// The next with the same number. Maintained by `WatchTable`.
  fileprivate(set) final var next: Watch?
}

/// Who listens to which watch.
///
/// Ownership: WatchTable ===> Watch, for as long as the kernel has the watch.
final class WatchTable {
  private let inotify: INotify
  private var table: [Int32: Watch] = [:]

  init(_ inotify: INotify) { self.inotify = inotify }

  /// The number of watches.
  var count: Int { table.count }

  /// The first who listens to a watch; the others follow by `next`.
  subscript(number: Int32) -> Watch? { table[number] }

  /// Who listens to a watch.
  func users(of number: Int32) -> [Watch] {
    var users: [Watch] = []
    var user = table[number]
    while let watch = user {
      users.append(watch)
      user = watch.next
    }
    return users
  }

  /// Makes `watch` listen to `number`, and to nothing else.
  func bind(_ watch: Watch, to number: Int32) {
    if watch.number == number { return }
    unbind(watch)
    watch.number = number
    watch.next = table.updateValue(watch, forKey: number)
  }

  /// Ends the listening, and the watch when nobody else needs it.
  func unbind(_ watch: Watch) {
    let number = watch.number
    guard number >= 0 else { return }
    watch.number = -1
    if table[number] === watch {
      table[number] = watch.next
    } else {
      var user = table[number]
      while let other = user, other.next !== watch { user = other.next }
      user?.next = watch.next
    }
    watch.next = nil
    if table[number] == nil { inotify.unwatch(number) }
  }

  /// Takes back a watch that nobody has come to listen to.
  func dropIfUnused(_ number: Int32) {
    if number >= 0, table[number] == nil { inotify.unwatch(number) }
  }

  /// The kernel has ended the watch by itself. Returns who listened.
  func remove(_ number: Int32) -> [Watch] {
    let users = users(of: number)
    table[number] = nil
    for watch in users {
      watch.number = -1
      watch.next = nil
    }
    return users
  }

  /// Forgets everything; the kernel forgets when the descriptor is closed.
  func removeAll() {
    for number in Array(table.keys) { _ = remove(number) }
  }
}
