/// A row of bits with a fast count of the ones before an index, for the elements of a list that pass a filter.
///
/// All operations touch n/64 words: 100,000 bits are 12 KB.
struct BitRow {
  private var words: [UInt64] = []
  private(set) var count = 0

  subscript(index: Int) -> Bool {
    get { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }
    set {
      let bit: UInt64 = 1 << UInt64(index & 63)
      if newValue { words[index >> 6] |= bit } else { words[index >> 6] &= ~bit }
    }
  }

  mutating func append(_ bit: Bool) {
    if count & 63 == 0 { words.append(0) }
    count += 1
    self[count - 1] = bit
  }

  /// The number of ones before `index`.
  func rank(_ index: Int) -> Int {
    precondition(index <= count)
    let full = index >> 6
    var ones = words.withUnsafeBufferPointer { words in
      var ones = 0
      for word in 0..<full { ones &+= words[word].nonzeroBitCount }
      return ones
    }
    if index & 63 != 0 { ones += (words[full] & (1 << UInt64(index & 63) - 1)).nonzeroBitCount }
    return ones
  }

  mutating func insert(_ bit: Bool, at index: Int) {
    // The words are reached without a check.
    precondition(index <= count)
    if count & 63 == 0 { words.append(0) }
    count += 1
    let word = index >> 6
    let mask: UInt64 = 1 << UInt64(index & 63) - 1
    words.withUnsafeMutableBufferPointer { words in
      var carry = words[word] >> 63
      words[word] = words[word] & mask | (words[word] & ~mask) << 1
      for next in word + 1..<words.count {
        let top = words[next] >> 63
        words[next] = words[next] << 1 | carry
        carry = top
      }
    }
    self[index] = bit
  }

  mutating func remove(at index: Int) {
    precondition(index < count)
    let word = index >> 6
    let mask: UInt64 = 1 << UInt64(index & 63) - 1
    words.withUnsafeMutableBufferPointer { words in
      words[word] = words[word] & mask | (words[word] >> 1) & ~mask
      var previous = word
      for next in word + 1..<words.count {
        words[previous] |= words[next] << 63
        words[next] >>= 1
        previous = next
      }
    }
    count -= 1
    if count & 63 == 0 { words.removeLast() }
  }
}
