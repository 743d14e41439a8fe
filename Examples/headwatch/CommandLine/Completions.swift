/// The completion scripts for shells, generated from the option specifications.
nonisolated enum Completions {
  static let shells = ["bash", "zsh", "fish"]

  static func script(for shell: String) -> String {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    default: fish
    }
  }

  private static var bash: String {
    var cases = ""
    for option in Options.specifications where option.value.isRequired {
      let words =
        switch option.completion {
        case .nothing: "return"
        case .files: "COMPREPLY=($(compgen -f -- \"$word\")); return"
        case .directories: "COMPREPLY=($(compgen -d -- \"$word\")); return"
        case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\")); return"
        }
      cases += "    \(option.names.joined(separator: "|"))) \(words) ;;\n"
    }
    return """
      _headwatch() {
        local word=${COMP_WORDS[COMP_CWORD]} i
        for ((i = 1; i < COMP_CWORD; i++)); do
          # What follows is the command: complete it as it would be by itself.
          if [[ ${COMP_WORDS[i]} == -- ]]; then _command_offset $((i + 1)) 2>/dev/null; return; fi
        done
        case ${COMP_WORDS[COMP_CWORD - 1]} in
      \(cases)  esac
        if [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W '\(Options.specifications.flatMap(\.names).joined(separator: " "))' -- "$word"))
        else
          COMPREPLY=($(compgen -f -- "$word"))
        fi
      }
      complete -o filenames -F _headwatch headwatch

      """
  }

  private static var zsh: String {
    var lines = ""
    for option in Options.specifications {
      let action =
        switch option.completion {
        case .nothing: " "
        case .files: "_files"
        case .directories: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
      let summary = escaped(option.summary, "[]:'")
      for name in option.names {
        switch option.value {
        case .none: lines += "  '*\(name)[\(summary)]' \\\n"
        case .required(let value):
          lines += "  '*\(name)\(name.hasPrefix("--") ? "=" : "+")[\(summary)]:\(value):\(action)' \\\n"
        case .optional(let value): lines += "  '*\(name)=-[\(summary)]::\(value):\(action)' \\\n"
        }
      }
    }
    return "#compdef headwatch\n_arguments -S \\\n\(lines)  '*:path:_files'\n"
  }

  private static var fish: String {
    var text = ""
    for option in Options.specifications {
      var line = "complete -c headwatch"
      for name in option.names {
        line += name.hasPrefix("--") ? " -l \(name.dropFirst(2))" : " -s \(name.dropFirst())"
      }
      if option.value.isRequired {
        switch option.completion {
        case .nothing: line += " -x"
        case .files: line += " -r -F"
        case .directories: line += " -x -a '(__fish_complete_directories)'"
        case .words(let words): line += " -x -a '\(words.joined(separator: " "))'"
        }
      }
      text += "\(line) -d '\(escaped(option.summary, "'"))'\n"
    }
    return text
  }

  private static func escaped(_ text: String, _ special: String) -> String {
    text.map { special.contains($0) ? ($0 == "'" ? "'\\''" : "\\\($0)") : String($0) }.joined()
  }
}

nonisolated extension OptionSpecification.Value {
  var isRequired: Bool {
    if case .required = self { return true }
    return false
  }
}
