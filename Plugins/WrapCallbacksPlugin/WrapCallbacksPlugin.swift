import Foundation
import PackagePlugin

/// The plugin for `swift package wrap-callbacks HEADER…`, which runs the command `wrap-callbacks` in the package's
/// directory.
@main
struct WrapCallbacksPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let process = Process()
    process.executableURL = try context.tool(named: "wrap-callbacks").url
    process.arguments = arguments.isEmpty ? ["--help"] : arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Diagnostics.error("wrap-callbacks ended with \(process.terminationStatus). Its message is above.")
    }
  }
}
