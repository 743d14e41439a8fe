/// Objects that are freed with the object that they have been made with.
extension LibraryObjects {
  /// The function that frees an object with another one, which each function that makes it takes, too.
  func contextual(_ handle: String) -> (function: Library.Function, context: String)? {
    let library = classifier.library
    let found = (classifier.byHandle[handle] ?? []).compactMap {
      function -> (function: Library.Function, context: String)? in
      guard function.parameters.count == 2, !function.isVariadic, library.function(function.parameters[0].type) == nil,
        let context = Classifier.handle(function.parameters[0].type, library), context != handle,
        Classifier.handle(function.parameters[1].type, library) == handle
      else { return nil }
      let types = [handle, context].flatMap { Words.split($0) } + [classifier.prefix.filter { $0 != "_" }.lowercased()]
      // `r` is the mark of a function with a context.
      let others = classifier.split(function.name).filter { word in
        word != "r" && !types.contains { $0 == word || word.count > 2 && ($0.hasPrefix(word) || $0.hasSuffix(word)) }
      }
      guard others.count == 1, ["free", "destroy", "delete", "release", "dispose"].contains(others[0]) else {
        return nil
      }
      return (function, context)
    }.min { $0.function.name.count < $1.function.name.count }
    guard let found else { return nil }
    let makers = library.functions.filter { classifier.made(by: $0) == handle && owns(resultOf: $0) }
    let isMadeWithContext = makers.contains { takes($0, found.context) }
    return isMadeWithContext ? found : nil
  }

  /// True if a function takes an object of a type.
  private func takes(_ function: Library.Function, _ handle: String) -> Bool {
    function.parameters.contains { Classifier.handle($0.type, classifier.library) == handle }
  }
}
