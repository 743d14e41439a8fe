/// What the recorded program has done so far, by source line, and since the last look.
struct Activity {
  /// The subscriptions that were made at one source line.
  struct Place {
    var open = 0
    var paused = 0
    var elements = 0
    var elementsBefore = 0
    /// How long the observer took for its elements, in microseconds.
    var time = 0.0
    var longest = 0.0
    /// How long the jobs that brought its elements from another domain have waited, in microseconds.
    var waited = 0.0

    mutating func take(_ time: Double) {
      self.time += time
      longest = max(longest, time)
    }

    var mean: Double { elements == 0 ? 0 : time / Double(elements) }
    var meanWait: Double { elements == 0 ? 0 : waited / Double(elements) }
  }

  struct Thread {
    var name: String
    /// The slices that have begun: their beginning, their place if they deliver an element, and how long the job around them
    /// has waited.
    var slices: [(begin: Double, place: String?, waited: Double)] = []
    /// How long the loop was busy since the last look, in microseconds.
    var busy = 0.0
  }

  private(set) var places: [String: Place] = [:]
  private(set) var threads: [Int: Thread] = [:]
  /// How many elements wait, by inlet.
  private(set) var waiting: [String: Int] = [:]
  private(set) var program = "no program yet"
  private(set) var dropped = 0
  private(set) var hasEnded = false
  /// The place of each open subscription, and whether it is paused.
  private var open: [Int: (place: String, isPaused: Bool)] = [:]

  mutating func begin() { self = Activity() }

  mutating func end() { hasEnded = true }

  mutating func add(_ event: Event) {
    switch (event.ph, event.cat) {
    case ("M", _): name(event)
    case ("b", "subscription"):
      guard let id = event.id.flatMap({ Int($0) }), let place = event.name, event.args?.parent == nil else { return }
      open[id] = (place, false)
      places[place, default: Place()].open += 1
    case ("e", "subscription"):
      guard let id = event.id.flatMap({ Int($0) }), let old = open.removeValue(forKey: id) else { return }
      places[old.place]?.open -= 1
      if old.isPaused { places[old.place]?.paused -= 1 }
    case ("n", "state"):
      guard let id = event.id.flatMap({ Int($0) }), let old = open[id] else { return }
      let isPaused = event.name == "paused"
      if isPaused == old.isPaused { return }
      open[id]?.isPaused = isPaused
      places[old.place]?.paused += isPaused ? 1 : -1
    case ("B", let category):
      let place = category == "element" ? event.name : nil
      let waited = withThread(event) { thread in
        let waited = event.args?.waited ?? thread.slices.last?.waited ?? 0
        thread.slices.append((event.ts ?? 0, place, waited))
        return waited
      }
      if let place {
        places[place, default: Place()].elements += 1
        places[place, default: Place()].waited += waited
      }
    case ("E", _):
      guard let slice = withThread(event, { $0.slices.popLast() }), let place = slice.place else { return }
      let time = (event.ts ?? 0) - slice.begin
      places[place, default: Place()].take(time)
    case ("X", "iteration"): withThread(event) { $0.busy += event.dur ?? 0 }
    case ("C", "waiting"): if let name = event.name { waiting[name] = event.args?.waiting }
    case ("i", "dropped") where event.args?.count != nil: dropped += event.args?.count ?? 0
    default: break
    }
  }

  private mutating func name(_ event: Event) {
    guard let name = event.args?.name else { return }
    if event.name == "process_name" { program = name }
    if event.name == "thread_name", let id = event.tid { threads[id, default: Thread(name: name)].name = name }
  }

  private mutating func withThread<Result>(_ event: Event, _ body: (inout Thread) -> Result) -> Result {
    body(&threads[event.tid ?? 0, default: Thread(name: "thread \(event.tid ?? 0)")])
  }

  /// Begins the next period, from which rates are computed.
  mutating func look() {
    places = places.mapValues { place in
      var place = place
      place.elementsBefore = place.elements
      return place
    }
    threads = threads.mapValues { thread in
      var thread = thread
      thread.busy = 0
      return thread
    }
  }
}
