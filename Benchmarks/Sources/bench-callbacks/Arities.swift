import Callbacks

/// Checks the return values of calls with zero to six arguments in an optimized build, which specializes parameter
/// packs.
func checkArities() {
  typealias Text = String
  let none = RepeatingCallback<Text> { "" }
  let one = LentCallback<Int32, Text> { "\($0)" }
  let two = ForeignCallback<Int32, Bool, Text> { "\($0)\($1)" }
  let three = OnceCallback<Int32, Bool, Int64, Text> { "\($0)\($1)\($2)" }
  let four = ProcessCallback<Int32, Bool, Int64, Text, Text> { "\($0)\($1)\($2)\($3)" }
  typealias Five = RepeatingCallback<Int32, Bool, Int64, Text, UInt8, Text>
  let five = Five { "\($0)\($1)\($2)\($3)\($4)" }
  typealias Six = ScopedCallback<Int32, Bool, Int64, Text, UInt8, Double, Text>
  let six = Six.with({ "\($0)\($1)\($2)\($3)\($4)\($5)" }) {
    Six.call($0, 1, true, 3, "four", 5, 6, otherwise: "dropped")
  }
  let answers = [
    RepeatingCallback<Text>.call(none.context, otherwise: "dropped"),
    LentCallback<Int32, Text>.call(one.context, 1, isLast: true, otherwise: "dropped"),
    ForeignCallback<Int32, Bool, Text>.call(two.context, 1, true, otherwise: "dropped"),
    OnceCallback<Int32, Bool, Int64, Text>.call(three.context, 1, true, 3, otherwise: "dropped"),
    ProcessCallback<Int32, Bool, Int64, Text, Text>.call(four.context, 1, true, 3, "four", otherwise: "dropped"),
    Five.call(five.context, 1, true, 3, "four", 5, otherwise: "dropped"),
    six,
  ]
  precondition(
    answers == ["", "1", "1true", "1true3", "1true3four", "1true3four5", "1true3four56.0"], "\(answers)")
}
