import Foundation
import PackagePlugin

/// The plugin for `swift package wrap-library HEADER…`, which runs the command `wrap-library` in the package's
/// directory.
@main
struct WrapLibraryPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let process = Process()
    process.executableURL = try context.tool(named: "wrap-library").url
    process.arguments = arguments.isEmpty ? ["--help"] : arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Diagnostics.error("wrap-library ended with \(process.terminationStatus). Its message is above.")
    }
  }
}
