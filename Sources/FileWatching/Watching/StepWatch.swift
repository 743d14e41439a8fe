import Glibc

/// A watch of the directory of one step on the way to a path.
class StepWatch: Watch {
  final let step: PathStep

  init(_ step: PathStep) { self.step = step }

  /// Returns true if the name of the step was added, removed, or replaced.
  final func isReplaced(by event: RawEvent) -> Bool {
    !event.mask.isDisjoint(with: .nameChanged) && step.name.elementsEqual(event.name)
  }

  /// Releases the object that is notified, before the watch ends.
  func detach() {}
}

extension WatchTable {
  /// Watches the directories of all steps on the way to a path, in place of the `old` watches.
  ///
  /// `resolve` returns the steps. `watch` watches the open directory of a step, and returns nil if that is not possible. If the
  /// directory cannot be opened, its descriptor is negative, and `errno` is set.
  func follow<User: StepWatch, Failure: Error>(
    _ old: [User], resolve: () throws(Failure) -> [PathStep], watch: (Int32, PathStep) throws(Failure) -> Int32?,
    make: (PathStep) -> User
  ) throws(Failure) -> [User] {
    var current = old
    // A step can have changed before it was watched; it then differs in the next iteration. The number is limited,
    // because some file systems return another inode for the same directory each time.
    for _ in 0..<10 {
      let steps = try resolve()
      // The kernel never removes events from a mask, so a watch that needs fewer events must begin again.
      end(current.filter { !steps.contains($0.step) })
      var kept = current.filter { $0.number >= 0 }
      var isSame = true
      current = []
      for step in steps {
        let descriptor = openDirectory(step.directory, openPathOnly)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard let number = try watch(descriptor, step) else { continue }
        if let index = kept.firstIndex(where: { $0.number == number && $0.step == step }) {
          current.append(kept.remove(at: index))
          continue
        }
        isSame = false
        let new = make(step)
        bind(new, to: number)
        current.append(new)
      }
      end(kept)
      if isSame { break }
    }
    return current
  }

  /// Ends the watches of steps.
  func end(_ watches: [StepWatch]) {
    for watch in watches {
      watch.detach()
      unbind(watch)
    }
  }
}
