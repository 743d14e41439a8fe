/// What the choices say of objects.
extension LibraryObjects {
  /// Lets the choices decide whether a function that is given no other object frees its own.
  mutating func apply(_ choices: Choices) {
    for function in library.functions {
      if let taken = choices.bySite[function.name]?.taken, function.index(of: taken) == 0,
        let handle = Classifier.handle(function.parameters[0].type, library)
      {
        byHandle[handle]?.consuming.insert(function.name)
      }
      guard let takes = choices.bySite[function.name]?.takes, let handle = receiver(of: function) else { continue }
      if takes {
        byHandle[handle]?.consuming.insert(function.name)
      } else {
        byHandle[handle]?.consuming.remove(function.name)
      }
    }
  }

  /// The object of a method that is given no other object, and does not free it for the class.
  func receiver(of function: Library.Function) -> String? {
    let handles = function.parameters.map { parameter in
      library.function(parameter.type) == nil ? Classifier.handle(parameter.type, library) : nil
    }
    guard let first = handles.first, let first, let object = byHandle[first], object.release?.name != function.name,
      !handles.dropFirst().contains(where: { $0.flatMap { byHandle[$0] } != nil })
    else { return nil }
    return first
  }
}
