/// The contexts of structs with callbacks.
extension Classifier {
  /// The context of a table of functions.
  func inTable(_ site: Site) -> (Context.Registration, Certainty, String) {
    let record = library.records.first { $0.name == site.owner }
    // A field that the library reserves for itself is not a context.
    let fields = record.map { contextFields(of: $0).filter { !$0.path.hasPrefix("_") } } ?? []
    let prefix = site.name.split(separator: ".").dropLast().joined(separator: ".")
    let near = fields.filter { prefix.isEmpty || $0.path.hasPrefix(prefix + ".") }
    let named = near.filter { Words.split($0.path).contains { Words.context.contains($0) } }
    // `progress_cb` has `progress_payload`, which is not that of another callback.
    let stem = stem(site.name)
    let others = Set((byOwner[site.owner] ?? []).map { self.stem($0.name) }).subtracting([stem])
    let claimed = Set((byOwner[site.owner] ?? []).compactMap { $0.key == site.key ? nil : following($0)?.path })
    let own =
      named.first { $0.path.hasPrefix(site.name) }
      ?? named.first { !stem.isEmpty && self.stem($0.path) == stem }
      ?? following(site).flatMap { field in named.first { $0.path == field.path } }
      ?? named.first { field in
        !claimed.contains(field.path) && !named.contains { $0.path != field.path && $0.path.hasPrefix(field.path) }
          && !others.contains(self.stem(field.path))
      }
    if let field = own ?? (near.count == 1 ? near.first : nil) {
      return (.field(field.path), .inferred, "The field \(field.path) of the same struct is handed back.")
    }
    guard let record else { return (.unknown, .asked, "") }
    for function in functions(taking: record).sorted(by: { isRegistering($0) && !isRegistering($1) }) {
      guard let index = function.parameters.indices.first(where: { isVoidPointer(function.parameters[$0].type) }) else {
        continue
      }
      if let own = narrowed(function.parameters[index], site) {
        let maker = maker(ofFirst: site, taking: own) ?? (function.name, index)
        return (
          .function(maker.name, maker.index), .asked,
          "\(function.name) takes \(function.parameters[index].name), which need not be \(own)."
        )
      }
      let certainty: Certainty = isRegistering(function) || isScopedName(function) ? .inferred : .asked
      return (.function(function.name, index), certainty, "\(function.name) takes the table and it.")
    }
    return (.unknown, .asked, "The function that sets it is not known.")
  }

  /// The name of a callback's context, if that of a function's is narrower: `user_data`, and not `stream_user_data`.
  private func narrowed(_ parameter: CParameter, _ site: Site) -> String? {
    let name = Words.split(parameter.name)
    return site.function.parameters.first { other in
      let own = Words.split(other.name)
      return isVoidPointer(other.type) && !own.isEmpty && own.count < name.count && Set(own).isSubset(of: name)
    }?.name
  }

  /// The function that makes the object that a callback gets first, with a context of the given name.
  private func maker(ofFirst site: Site, taking name: String) -> (name: String, index: Int)? {
    guard let object = site.function.parameters.first.flatMap({ handle($0.type) }) else { return nil }
    for function in library.functions where made(by: function) == object {
      if let index = function.parameters.firstIndex(where: { isVoidPointer($0.type) && $0.name == name }) {
        return (function.name, index)
      }
    }
    return nil
  }

  /// The context that is declared directly after a callback, in a struct that has several.
  private func following(_ site: Site) -> Library.Field? {
    if let known = cache.following[site.key] { return known }
    let field = contextAfter(site)
    cache.following[site.key] = .some(field)
    return field
  }

  private func contextAfter(_ site: Site) -> Library.Field? {
    guard site.kind == .field, let record = library.records.first(where: { $0.name == site.owner }),
      let index = record.fields.firstIndex(where: { $0.path == site.name }), index + 1 < record.fields.count
    else { return nil }
    let contexts = Set(contextFields(of: record).map(\.path))
    let isContext = { (field: Library.Field) in
      contexts.contains(field.path) && Words.split(field.path).contains { Words.context.contains($0) }
    }
    guard record.fields.count(where: isContext) > 1, isContext(record.fields[index + 1]) else { return nil }
    return record.fields[index + 1]
  }

  /// True if each context of a struct stands directly after a callback, and none after this one.
  func hasContextsOfOthers(_ site: Site) -> Bool {
    guard following(site) == nil, let record = library.records.first(where: { $0.name == site.owner }) else {
      return false
    }
    let claimed = Set((byOwner[site.owner] ?? []).compactMap { following($0)?.path })
    return !claimed.isEmpty && contextFields(of: record).allSatisfy { claimed.contains($0.path) }
  }

  /// The words of a field's name that tell it from the others: those of neither callbacks nor contexts.
  func stem(_ path: String) -> [String] {
    // `notify` may describe the event instead of the handler.
    Words.split(path).filter { !(Words.handler.contains($0) && $0 != "notify") && !Words.context.contains($0) }
  }

  /// True for a function that is written to be in a table: it has the name and the signature of a field.
  private func implements(_ function: Library.Function, _ field: Site) -> Bool {
    function.parameters.count == field.function.parameters.count
      && canonical(function.result) == canonical(field.function.result)
      && function.parameters.map { canonical($0.type) } == field.function.parameters.map { canonical($0.type) }
      && Set(Words.split(field.name)).isSubset(of: words[function.name] ?? [])
  }

  /// A type without typedefs and without `const` at any level of pointers.
  private func canonical(_ type: CType) -> CType {
    let type = library.resolved(type).withoutConst
    guard case .pointer(let pointee, _) = type else { return type }
    return .pointer(canonical(pointee), isConst: false)
  }

  /// The functions that take a pointer to a struct.
  func functions(taking record: Library.Record) -> [Library.Function] {
    if let known = cache.takers[record.spelling] { return known }
    var names = [record.spelling]
    for name in [record.name, "struct " + record.name] where !names.contains(name) { names.append(name) }
    let fields = byOwner[record.name] ?? []
    let takers = names.flatMap { byAnyHandle[$0] ?? [] }.filter { function in
      !fields.contains { implements(function, $0) }
    }
    cache.takers[record.spelling] = takers
    return takers
  }
}
