import Headwater

// `DelegateForwarding`: a class with a delegate, and a delegate that does its work. Without a change to either of them,
//
//   1. streams observe the delegate's calls,
//   2. a closure answers one of them,
//   3. a property answers another one,
//   4. another delegate takes the place of the first for a while,
//   5. one disposal restores the original state.
//
//   swift run --package-path Examples DelegateForwarding
//
// It prints what each step changes, and ends. LedgerReader.swift has the class and its protocol, Bookkeeper.swift the
// delegate: neither knows about streams. LedgerReaderDelegateProxy.swift is all that you have to write: a slot and a
// method for each requirement. Docs/Guides/Delegates/InstallAProxy.md is the guide.

let ledger = """
  coffee 3
  # this week
  tea 2
  """

func run() throws {
  let reader = LedgerReader()
  let bookkeeper = Bookkeeper("book")
  reader.delegate = bookkeeper

  print("The delegate alone:")
  reader.read(ledger)

  print("Observed:")
  let bag = DisposeBag()
  // The proxy becomes the delegate, and forwards to the previous one.
  let proxy = LedgerReaderDelegateProxy.install(on: reader, at: \.delegate)
  proxy.dispose(in: bag)

  proxy.didRead.stream
    .map { _, entry, _ in entry.amount }
    .scan(0, +)
    .observeNext { print("sum: \($0)") }
    .dispose(in: bag)
  proxy.shouldSkip.results
    .observeNext { _, line, isSkipped in print(isSkipped ? "skipped: \(line)" : "wrong: \(line)") }
    .dispose(in: bag)
  reader.read(ledger)

  print("Answered:")
  // The closure answers this call instead of the delegate, which still receives all other calls.
  let comments = try proxy.shouldSkip.answer { _, line in line.hasPrefix("#") }
  // The property's value is read at each call.
  let accounts = Property(["coffee": "kitchen"])
  try proxy.accountFor.feed(accounts) { accounts, _, entry in accounts[entry.name] ?? "other" }
  reader.read(ledger)

  print("The property has changed:")
  accounts.value["tea"] = "kitchen"
  reader.read(ledger)

  print("Another delegate:")
  let auditor = Bookkeeper("audit")
  // The proxy references it weakly. Don't set `reader.delegate = auditor`: that would replace the proxy.
  proxy.forwardTo = auditor
  reader.read(ledger)
  proxy.forwardTo = bookkeeper

  print("The delegate is asked again:")
  comments.dispose()
  reader.read(ledger)

  print("As it was:")
  bag.dispose()
  reader.read(ledger)
  print(reader.delegate === bookkeeper ? "The delegate is the one that was there." : "Something is left.")
}

try run()
