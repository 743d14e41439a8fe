import Testing

@testable import LibraryWrapping

/// The declarators of C.
@Suite("Declarators")
struct DeclaratorTests {
  @Test(arguments: [
    ("void (*)(void *, int)", "void (*)(void *, int)"),
    ("int (*xAuth)(void*,int,const char*)", "int (*xAuth)(void *, int, const char *)"),
    (
      "typedef void(XMLCALL *XML_StartElementHandler)(void *userData, const XML_Char *name)",
      "void (*XML_StartElementHandler)(void *userData, const XML_Char *name)"
    ),
    ("void (*(*get)(const char *name))(void)", "void (*(*get)(const char *name))(void)"),
    ("unsigned long int n", "unsigned long n"),
    ("char *const argv[]", "char *const argv[]"),
    ("int (*handlers[4])(int)", "int (*handlers[4])(int)"),
    ("struct stat *restrict s", "struct stat *s"),
    ("SQLITE_API void *f(int a, ...)", "void *f(int a, ...)"),
    ("void (^block)(int)", "void (*block)(int)"),
    (
      "typedef int GIT_CALLBACK(matched)(const char *path, void *payload)",
      "int (*matched)(const char *path, void *payload)"
    ),
    ("_BitInt(8) (*f)(_BitInt(7) number)", "_BitInt (*f)(_BitInt number)"),
    ("int (*_Nullable callback)(void * _Nonnull context)", "int (*callback)(void *context)"),
  ])
  func `a declaration is parsed with its names`(_ text: String, _ expected: String) throws {
    let parsed = try #require(DeclaratorParser.parse(text))
    #expect(parsed.type.spelled(parsed.name) == expected)
  }

  @Test(arguments: ["", "(", "int )", "void (*)(int", "int a b c ;"])
  func `what is no declaration is refused`(_ text: String) { #expect(DeclaratorParser.parse(text) == nil) }

  @Test func `names are split into words`() {
    #expect(Words.split("XML_SetUserData") == ["xml", "set", "user", "data"])
    #expect(Words.split("pUserData") == ["p", "user", "data"])
    #expect(Words.split("sqlite3_update_hook") == ["sqlite3", "update", "hook"])
    #expect(Words.prefix(of: ["PQfinish", "PQexec", "lo_open"]) == "PQ")
    #expect(Words.prefix(of: ["a_b", "c_d", "e_f"]).isEmpty)
  }
}
