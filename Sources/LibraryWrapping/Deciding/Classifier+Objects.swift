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
        let isStored = own != nil || mayStore(field, of: record, site)
        if isStored || site.kind != .parameter {
          let registration = own.map { Context.Registration.parameter($0) } ?? .field(field)
          return Decision(
            Context(index: index, arrival: .member(field), registration: registration), isStored ? .inferred : .asked,
            "\(record.name) has the field \(field).")
        }
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

  /// True if your code has the object that C passes, and can store a context in it: the function that registers the callback, or
  /// the struct that has it, comes with the object.
  private func mayStore(_ field: String, of record: Library.Record, _ site: Site) -> Bool {
    let table = site.kind == .field ? library.records.first { $0.name == site.owner } : nil
    let functions = table.map { self.functions(taking: $0) } ?? function(of: site).map { [$0] } ?? []
    let handles = functions.flatMap { function in
      function.parameters.compactMap { handle($0.type) } + (made(by: function).map { [$0] } ?? [])
    }
    let objects = handles.compactMap { records[$0] ?? records["struct " + $0] } + (table.map { [$0] } ?? [])
    return objects.contains { $0.spelling == record.spelling || begins($0, as: record, until: field) }
  }

  /// True if a struct has the fields of another one at its beginning, as `uv_stream_t` has those of `uv_handle_t`.
  private func begins(_ record: Library.Record, as base: Library.Record, until field: String) -> Bool {
    guard let last = base.fields.firstIndex(where: { $0.path == field }), last < record.fields.count else {
      return false
    }
    return zip(record.fields, base.fields).prefix(last + 1).allSatisfy { $0.path == $1.path && $0.type == $1.type }
  }

  /// The fields of a struct that can be its context. A `void *` beside a length is memory.
  func contextFields(of record: Library.Record) -> [Library.Field] {
    if let known = cache.contexts[record.spelling] { return known }
    let fields = record.fields
    let contexts = fields.indices.filter { index in
      guard isVoidPointer(fields[index].type) else { return false }
      let isMemory = [index - 1, index + 1].contains { place in
        fields.indices.contains(place)
          && library.isLength(fields[place].path, fields[place].type, of: fields[index].path)
      }
      return !isMemory || Words.split(fields[index].path).contains { Words.user.contains($0) }
    }.map { fields[$0] }
    cache.contexts[record.spelling] = contexts
    return contexts
  }

  func contextField(of record: Library.Record) -> String? {
    contextFields(of: record).first { field in
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
