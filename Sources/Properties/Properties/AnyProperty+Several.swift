internal import Streams

extension AnyProperty {
  /// The values of all `properties` as one tuple, each time one of them changes.
  public static func combineLatest<each Source>(
    _ properties: repeat any PropertyProtocol<each Source>
  ) -> AnyProperty<Value> where Value == (repeat each Source) {
    let views = (repeat view(each properties))
    var homes: [Composition.Source] = []
    repeat homes.append((each views).source)
    let streams = (repeat (each views).composing)
    return AnyProperty(
      composing: Streams.combineLatest(repeat each streams).skip(1), from: (repeat (each views).cell.current), of: homes
    )
  }

  /// The values of all `properties` in tuples: the first of each, the second of each, and so on.
  public static func zip<each Source>(
    _ properties: repeat any PropertyProtocol<each Source>
  ) -> AnyProperty<Value> where Value == (repeat each Source) {
    let views = (repeat view(each properties))
    var homes: [Composition.Source] = []
    repeat homes.append((each views).source)
    let streams = (repeat (each views).composing)
    return AnyProperty(
      composing: Streams.zip(repeat each streams).skip(1), from: (repeat (each views).cell.current), of: homes)
  }
}

private func view<Value>(_ property: any PropertyProtocol<Value>) -> AnyProperty<Value> { property.readOnlyView }
