// Runs every case and prints its results.

func show(_ title: String, _ lines: [String]) {
  print("\(title):")
  for line in lines { print("  \(line)") }
}

show("plain", try usePlainDelegate())
show("sole conformers", useSoleConformers())
show("main actor", try useScreenDelegate())
show("another actor", try await useDiskDelegate())
show("async", try await useSessionDelegate())
show("staying", try await useStayingDelegate())
show("staying in an actor", try await StayingActor().use())
show("kinds", useKinds())
show("global actor", try await useDiskKind())
show("tuples", try useTupleDelegate())
show("names", try useMethodNames())
show("intercepted", try useInterceptedDocument())
