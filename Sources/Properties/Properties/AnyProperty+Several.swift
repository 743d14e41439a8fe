internal import Streams

// The functions of each number of properties use these. Not public, because a chain of operators on a function whose result is a pack
// expansion does not compile.

/// A property with the values of all `properties` as one tuple. It changes each time one of them changes.
func combineLatestPack<each Source>(
  _ properties: repeat AnyProperty<each Source>
) -> AnyProperty<(repeat each Source)> {
  var homes: [Composition.Source] = []
  repeat homes.append((each properties).source)
  return AnyProperty(
    composing: Streams.combineLatestPack(repeat (each properties).composing).skip(1),
    from: (repeat (each properties).cell.current), of: homes)
}

/// A property with tuples of the values of all `properties`: the first value of each, then the second of each, and so on.
func zipPack<each Source>(_ properties: repeat AnyProperty<each Source>) -> AnyProperty<(repeat each Source)> {
  var homes: [Composition.Source] = []
  repeat homes.append((each properties).source)
  return AnyProperty(
    composing: Streams.zipPack(repeat (each properties).composing).skip(1),
    from: (repeat (each properties).cell.current), of: homes)
}

/// Returns a property with the values of all `properties` as one array, in the order of the properties. The array changes each time one
/// of them changes.
///
/// If there is no property, the value is always the empty array.
public func combineLatest<Value>(_ properties: [any PropertyProtocol<Value>]) -> AnyProperty<[Value]> {
  let views = properties.map { $0.readOnlyView }
  return AnyProperty(
    composing: Stream.combineLatest(views.map(\.composing)).skip(1), from: views.map(\.cell.current),
    of: views.map(\.source))
}

/// Returns a property with arrays of the values of all `properties`, in the order of the properties: the first value of each, then the
/// second of each, and so on.
///
/// The values of a property that is ahead are held for the others. If there is no property, the value is always the empty
/// array.
public func zip<Value>(_ properties: [any PropertyProtocol<Value>]) -> AnyProperty<[Value]> {
  let views = properties.map { $0.readOnlyView }
  return AnyProperty(
    composing: Stream.zip(views.map(\.composing)).skip(1), from: views.map(\.cell.current), of: views.map(\.source))
}
