internal import Streams

// What the functions of each number of properties stand on. Not public: a chain of operators on a function whose result is
// a pack expansion does not compile.

/// The values of all `properties` as one tuple, each time one of them changes.
func combineLatestPack<each Source>(
  _ properties: repeat AnyProperty<each Source>
) -> AnyProperty<(repeat each Source)> {
  var homes: [Composition.Source] = []
  repeat homes.append((each properties).source)
  return AnyProperty(
    composing: Streams.combineLatestPack(repeat (each properties).composing).skip(1),
    from: (repeat (each properties).cell.current), of: homes)
}

/// The values of all `properties` in tuples: the first of each, the second of each, and so on.
func zipPack<each Source>(_ properties: repeat AnyProperty<each Source>) -> AnyProperty<(repeat each Source)> {
  var homes: [Composition.Source] = []
  repeat homes.append((each properties).source)
  return AnyProperty(
    composing: Streams.zipPack(repeat (each properties).composing).skip(1),
    from: (repeat (each properties).cell.current), of: homes)
}

/// The values of all `properties` as one array, in their order, each time one of them changes.
///
/// Without a property it is the constant empty array.
public func combineLatest<Value>(_ properties: [any PropertyProtocol<Value>]) -> AnyProperty<[Value]> {
  let views = properties.map { $0.readOnlyView }
  return AnyProperty(
    composing: Stream.combineLatest(views.map(\.composing)).skip(1), from: views.map(\.cell.current),
    of: views.map(\.source))
}

/// The values of all `properties` in arrays, in their order: the first of each, the second of each, and so on.
///
/// Values of one that is ahead wait for the others. Without a property it is the constant empty array.
public func zip<Value>(_ properties: [any PropertyProtocol<Value>]) -> AnyProperty<[Value]> {
  let views = properties.map { $0.readOnlyView }
  return AnyProperty(
    composing: Stream.zip(views.map(\.composing)).skip(1), from: views.map(\.cell.current), of: views.map(\.source))
}
