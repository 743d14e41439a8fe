import Foundation
import StreamsTesting
import Testing

/// The programs of the README and the guides compile with the settings that a consumer may have, and behave as the page says.
@Suite("Snippets")
struct SnippetTests {
  @Test func `there are snippets`() {
    #expect(Snippet.all.contains { $0.file == "README.md" })
    #expect(Set(Snippet.all.map(\.file)).count > 5)
  }

  @Test func `comments at a snippet are read, and only there`() throws {
    let text = """
      <!-- prelude
      let a = 1
      -->
      <!-- prints
      1 … 3
      -->
      <!-- not in both: a reason -->
      <!-- driver echo -->
      ```swift
      print(a)
      ```

      <!-- prints
      lost
      -->
      Text between the two.
      ```swift
      print(2)
      ```
      """
    let snippets = Snippet.snippets(in: text, of: "Page.md")
    try #require(snippets.count == 2)
    #expect(
      snippets[0].source.hasPrefix(
        "import Headwater\nlet a = 1\n#sourceLocation(file: \"Page.md\", line: 10)\nprint(a)"))
    #expect(snippets[0].prints == ["1 … 3"] && snippets[0].driver == "echo" && snippets[0].excluded == ["both"])
    #expect(snippets[0].matches(output: "1 2 3\n", errors: ""))
    for wrong in ["1 2 4\n", "1 2 3\n4\n", "", "1 2 3"] { #expect(!snippets[0].matches(output: wrong, errors: "")) }
    #expect(!snippets[0].matches(output: "1 2 3\n", errors: "a warning\n"))
    #expect(snippets[1].prints.isEmpty && snippets[1].isRun)
  }

  @Test func `preludes and blocks with names begin other snippets, of any page`() throws {
    let text = """
      <!-- prelude one
      let a = 1
      -->
      <!-- named two -->
      ```swift
      let b = 2
      ```
      <!-- begins with one, two -->
      ```swift
      print(a + b)
      ```
      """
    let snippets = Snippet.snippets(in: text, of: "Page.md")
    try #require(snippets.count == 2)
    #expect(
      snippets[1].source
        == """
        import Headwater
        let a = 1
        let b = 2
        #sourceLocation(file: "Page.md", line: 10)
        print(a + b)
        #sourceLocation()

        """)
    for snippet in Snippet.all { #expect(snippet.unknownNames == [], "\(snippet.testDescription)") }
  }

  @Test func `the programs of the tutorials are complete`() {
    let programs = Snippet.all.filter { $0.file.hasPrefix("Docs/Tutorials/") }
    #expect(programs.count > 5)
    for program in programs {
      #expect(program.source.hasPrefix("import Headwater\n#sourceLocation"), "\(program.testDescription) has a prelude")
    }
  }

  @Test(arguments: Snippet.tests)
  func `a test in a guide is one of the guides' own tests, which run as any others`(_ snippet: Snippet) throws {
    let file = Compiler.root.appendingPathComponent("Tests/Consumer/Tests/GuideTests/\(snippet.testFile ?? "")")
    #expect(try String(contentsOf: file, encoding: .utf8).contains(snippet.code + "\n"))
  }

  @Test(arguments: Snippet.all, Settings.allCases)
  func `a snippet compiles, and prints what it should`(_ snippet: Snippet, _ settings: Settings) async throws {
    let driver = try snippet.driver.map { try #require(Driver.all[$0], "there is no driver \($0)") }
    let source = driver?.prepare(snippet.source) ?? snippet.source
    try await Compiler.withFolder { folder in
      let result = try await Compiler.build(source, settings, in: folder)
      if snippet.excluded.contains(settings.rawValue) {
        #expect(!result.accepts, "it does compile: the comment that says otherwise is wrong")
        return
      }
      guard result.accepts, !result.output.contains("warning:") else {
        Issue.record("the compiler says:\n\(result.output)")
        return
      }
      guard snippet.isRun else { return }
      try await onOwnThread {
        // The program runs in an empty folder of its own, in which it may leave files.
        let place = folder.appendingPathComponent("place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // Standard output is flushed after each line, as it is to a terminal.
        let child = try Child(path: "/bin/sh", ["-c", "cd \"$0\" && exec stdbuf -oL ../program", place.path])
        if let driver {
          try driver.drive(child, place)
        } else {
          child.closeInput()
          #expect(try child.end() == 0)
        }
        if !snippet.matches(output: child.output, errors: child.errors) {
          Issue.record("it prints:\n\(child.output)and to standard error:\n\(child.errors)")
        }
      }
    }
  }
}
