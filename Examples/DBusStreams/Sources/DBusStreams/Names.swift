import SystemdBus

extension String {
  /// Whether a function of sd-bus accepts the text. C would read only what is before a null character.
  func isValid(_ check: (UnsafePointer<CChar>) -> Int32) -> Bool { !utf8.contains(0) && check(self) > 0 }
}

extension DBusTarget {
  /// The first name that sd-bus would cut off at a null character.
  func cutName(_ member: String) -> String? {
    [destination, path.rawValue, interface, member].first { $0.utf8.contains(0) }
  }
}
