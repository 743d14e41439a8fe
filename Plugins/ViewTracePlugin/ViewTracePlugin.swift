import Foundation
import PackagePlugin

/// The plugin for `swift package view-trace TRACE`, which runs the command `view-trace` in the package's
/// directory.
@main
struct ViewTracePlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let process = Process()
    process.executableURL = try context.tool(named: "view-trace").url
    process.arguments = arguments.isEmpty ? ["--help"] : arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Diagnostics.error("view-trace ended with \(process.terminationStatus). Its message is above.")
    }
  }
}
