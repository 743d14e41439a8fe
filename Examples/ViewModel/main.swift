import Headwater

// `ViewModel`: fills in a sign-up form as a user would, and prints what a user interface would show.
//
//   swift run --package-path Examples ViewModel
//
// It prints lines such as "button: disabled", and ends. What to learn from it: SignUpViewModel.swift derives everything that
// the interface shows from the properties that the user changes, and its action is disabled while it runs.

let taken: Set = ["steve"]
let model = SignUpViewModel { account in
  // The service answers after 200 milliseconds.
  Operation<Account, SignUpError>.timer(account, after: .milliseconds(200)).tryMap { account throws(SignUpError) in
    if taken.contains(account.name) { throw .nameTaken }
    return "Welcome, \(account.name)."
  }
}

let bag = DisposeBag()
model.problems.observeNext { print("problems:", $0.isEmpty ? "none" : $0.joined(separator: " ")) }.dispose(in: bag)
model.signUp.isEnabled.observeNext { print("button:", $0 ? "enabled" : "disabled") }.dispose(in: bag)
model.signUp.isExecuting.changes.observeNext { print("spinner:", $0 ? "on" : "off") }.dispose(in: bag)
model.failure.ignoreNil().observeNext { print("failure:", $0) }.dispose(in: bag)

// The first name is taken. When the service has reported this, the program tries another one.
model.failure.ignoreNil().observeNext { _ in
  model.name.value = "jim"
  model.signUp.start(())
}.dispose(in: bag)
model.signUp.values.observeNext { greeting in
  print("greeting:", greeting)
  Loop.main.stop()
}.dispose(in: bag)

model.name.value = "steve"
model.password.value = "correct horse"
model.repetition.value = "correct horse"
model.signUp.start(())
Loop.main.run()
bag.dispose()
