#if Macros
/// What stands before the names of other modules in generated code, so that a type or a parameter of the user may have the
/// same name (SE-0491). The compiler that expands the macros reads the code, too. Before Swift 6.3, it has no selectors.
enum ModuleSelector {
  #if compiler(>=6.3)
  /// This module exports all modules whose names the code has.
  static let library = "DelegateMacros::"
  static let swift = "Swift::"
  #else
  static let library = ""
  static let swift = "Swift."
  #endif
}
#endif
