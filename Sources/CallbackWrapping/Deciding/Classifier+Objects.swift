/// Contexts behind what a callback gets: in a field of an object, or behind a function of it.
extension Classifier {
  /// A context that is a field of an object, or behind a function of it.
  func inObject(_ site: Site) -> Decision<Context?> {
    let own = function(of: site).flatMap { function in
      ownContext(of: site, function).flatMap { isPlausible(function.parameters[$0].name) ? $0 : nil }
    }
    for (index, parameter) in site.function.parameters.enumerated() {
      guard let object = handle(parameter.type) else { continue }
      if let record = records[object] ?? records["struct " + object], let field = contextField(of: record) {
        let registration = own.map { Context.Registration.parameter($0) } ?? .field(field)
        return Decision(
          Context(index: index, arrival: .member(field), registration: registration), .inferred,
          "\(record.name) has the field \(field).")
      }
      if own == nil, let setter = accessorSetter(of: object, site) {
        let context = Context(
          index: index, arrival: .accessor(setter.accessor), registration: .function(setter.name, 1))
        return Decision(context, .inferred, "\(setter.accessor) returns what \(setter.name) sets.")
      }
      if own != nil || site.kind != .parameter, let accessor = accessor(of: object) {
        let registration = own.map { Context.Registration.parameter($0) } ?? .unknown
        return Decision(
          Context(index: index, arrival: .accessor(accessor), registration: registration), .inferred,
          "\(accessor) returns it.")
      }
    }
    // The handle itself, with a setter for the argument.
    if let handle = site.function.parameters.first.flatMap({ handle($0.type) }),
      let function = function(of: site), function.parameters.first.flatMap({ self.handle($0.type) }) == handle,
      let setter = byHandle[handle]?.first(where: { $0.name == site.owner + "Arg" || $0.name == site.owner + "_arg" })
    {
      return Decision(
        Context(index: 0, arrival: .parameter, registration: .function(setter.name, 1)), .inferred,
        "\(setter.name) replaces the first argument.")
    }
    return Decision(nil, .told, "No parameter of the callback can be a context.")
  }

  func contextField(of record: Library.Record) -> String? {
    let fields = record.fields.filter { isVoidPointer($0.type) }
    return fields.first { field in
      let words = Words.split(field.path)
      return words.contains {
        ["data", "userdata", "user", "opaque", "context", "private", "priv", "cookie", "arg"].contains($0)
      }
        && !words.contains { ["reserved", "internal"].contains($0) } && !field.comment.lowercased().contains("private")
    }?.path
  }

  func accessor(of object: String) -> String? {
    byHandle[object]?.first { function in
      guard function.parameters.count == 1, isVoidPointer(function.result), let words = words[function.name] else {
        return false
      }
      return words.contains { ["userdata", "user", "context", "arg", "opaque"].contains($0) }
    }?.name
  }

  /// True for the words of an object's type, and for the library's prefix.
  private func owns(_ object: String, _ word: String) -> Bool {
    Words.split(object).contains(word) || word == prefix.filter { $0 != "_" }.lowercased()
  }

  /// The function that returns the context of an object, and the one that sets it, if the callback belongs to that object:
  /// its function gets the object, or makes it.
  private func accessorSetter(of object: String, _ site: Site) -> (accessor: String, name: String)? {
    guard let function = function(of: site), let accessor = accessor(of: object), let names = words[accessor],
      // `get_default_passwd_cb_userdata` is for another callback.
      names.allSatisfy({ Words.user.contains($0) || ["get", "data", "app"].contains($0) || owns(object, $0) }),
      function.parameters.first.flatMap({ handle($0.type) }) == object || handle(function.result) == object
    else { return nil }
    let rest = names.filter { $0 != "get" }
    let setter = byHandle[object]?.first { other in
      other.parameters.count == 2 && isVoidPointer(other.parameters[1].type)
        && words[other.name].map { $0.contains("set") && $0.filter { $0 != "set" } == rest } == true
    }
    return setter.map { (accessor, $0.name) }
  }
}
