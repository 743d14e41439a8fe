/// A user of a kernel watch, notified of the events of a directory. The kernel has one watch for each directory, with a
/// number. Several users may share it.
class Watch {
  /// The number of the watch, or -1.
  final var number: Int32 = -1
  /// The next user with the same number. Maintained by `WatchTable`.
  fileprivate(set) final var next: Watch?
}

/// The users of each kernel watch.
///
/// Ownership: WatchTable ===> Watch, as long as the kernel has the watch.
final class WatchTable {
  private let inotify: INotify
  private var table: [Int32: Watch] = [:]

  init(_ inotify: INotify) { self.inotify = inotify }

  /// The number of watches.
  var count: Int { table.count }

  /// The first user of a watch. Its `next` leads to the others.
  subscript(number: Int32) -> Watch? { table[number] }

  /// Returns the users of a watch.
  func users(of number: Int32) -> [Watch] {
    var users: [Watch] = []
    var user = table[number]
    while let watch = user {
      users.append(watch)
      user = watch.next
    }
    return users
  }

  /// Makes `watch` a user of the watch `number`, and of no other.
  func bind(_ watch: Watch, to number: Int32) {
    if watch.number == number { return }
    unbind(watch)
    watch.number = number
    watch.next = table.updateValue(watch, forKey: number)
  }

  /// Removes a user, and ends the kernel watch if it has no other user.
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

  /// Ends a kernel watch that has no user.
  func dropIfUnused(_ number: Int32) {
    if number >= 0, table[number] == nil { inotify.unwatch(number) }
  }

  /// Removes a watch that the kernel has ended. Returns its users.
  func remove(_ number: Int32) -> [Watch] {
    let users = users(of: number)
    table[number] = nil
    for watch in users {
      watch.number = -1
      watch.next = nil
    }
    return users
  }

  /// Removes everything. The kernel ends the watches when the descriptor is closed.
  func removeAll() {
    for number in Array(table.keys) { _ = remove(number) }
  }
}
