#if Macros
import Testing

@Suite struct SlotNameTests {
  @Test func `a slot is called like its method without the sender`() {
    #expect(slotNames("func downloader(_ d: Downloader, didReceive bytes: Int)") == ["didReceive"])
    #expect(slotNames("func scrollViewDidScroll(_ scrollView: ScrollView)") == ["didScroll"])
    #expect(slotNames("func connection(_ c: HTTP.URLConnection, didFail error: any Error)") == ["didFail"])
    #expect(slotNames("func urlSession(_ session: URLSession, didBecomeInvalid: Bool)") == ["didBecomeInvalid"])
    #expect(slotNames("func table(_ table: Table, didSelect row: Int, at place: Int)") == ["didSelect"])
  }

  @Test func `a word that only begins like the sender is no sender`() {
    #expect(slotNames("func tableauMoved(_ table: Table)") == ["tableauMoved"])
    #expect(slotNames("func add(_ value: Int, to list: List)") == ["add"])
  }

  @Test func `methods that would have one name get all their labels`() {
    #expect(
      slotNames(
        "func table(_ table: Table, didSelect row: Int)",
        "func table(_ table: Table, didSelect row: Int, at place: Int)",
        "func list(_ list: List, didSelect row: Int, animated: Bool)")
        == ["didSelect", "didSelectAt", "didSelectAnimated"])
  }

  @Test func `methods that their labels do not tell apart get the types of their parameters`() {
    #expect(slotNames("func put(_ value: Int)", "func put(_ value: [String: Int])") == ["putInt", "putStringInt"])
    #expect(
      slotNames("func put(_ value: inout Int)", "func put(_ value: inout String)") == ["putInOutInt", "putInOutString"])
  }

  @Test func `what a property, a method without parameters or the language is called has Slot behind it`() {
    #expect(
      slotNames(
        "func finish()", "var title: String { get }", "func table(_ table: Table, in place: Int)",
        "func dispose(_ x: Int)")
        == ["finishSlot", "titleSlot", "inSlot", "disposeSlot"])
  }

  @Test func `Slot names a slot`() {
    #expect(
      slotNames(#"@Slot("ended") func finish()"#, #"@Slot("put", default: 0) func add(_ x: Int) -> Int"#) == [
        "ended", "put",
      ])
  }

  @Test func `raw identifiers lose their spaces and signs`() {
    #expect(
      slotNames(
        "func `row was selected`(_ index: Int)", "func `3 items`(_ x: Int)", "var `a value`: Int { get }",
        "func table(_ table: Table, `did select row` row: Int)", "func 🙂(_ x: Int)")
        == ["rowWasSelected", "_3Items", "aValueSlot", "didSelectRow", "🙂"])
  }
}
#endif
