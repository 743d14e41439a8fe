nonisolated extension Unicode.Scalar {
  /// The number of terminal columns that the scalar takes: 0 for combining and invisible characters, 2 for ideographs,
  /// Hangul, full-width forms, and emoji, and 1 for all others.
  var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1160...0x11FF: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF ~= value) ? 2 : 1
    }
  }
}

nonisolated extension String {
  /// Returns the longest prefix that fits into `columns` columns of a terminal.
  func clipped(toColumns columns: Int) -> String {
    var rest = columns
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      rest -= scalar.displayWidth
      if rest < 0 { break }
      result.append(scalar)
    }
    return String(result)
  }
}
