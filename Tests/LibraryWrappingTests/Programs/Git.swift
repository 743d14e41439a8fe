// git2.h --pkg-config libgit2
import Git

let folder = CommandLine.arguments[1]
try GitLibrary.libgit2Init()
let repository = try Repository(path: folder + "/repository", isBare: 0)
print("empty:", repository.isEmpty, "bare:", repository.isBare)
let index = try repository.index()
let text = "Hello\n"
var entry = IndexEntry()
let ada = try Signature(name: "Ada", email: "ada@example.org", time: 1_000_000, offset: 0)
let tree = try repository.treeLookup(index.writeTree())
var last: [Commit] = []
for message in ["First", "Second"] {
  let id = try repository.commitCreate(
    "HEAD", author: ada, committer: ada, messageEncoding: nil, message: message, tree: tree, parents: last)
  last = [try repository.commitLookup(id)]
}
let walk = try repository.revwalkNew()
try walk.pushHead()
while let id = try? walk.next() {
  let commit = try repository.commitLookup(id)
  print(commit.message ?? "?", commit.author?.pointer.pointee.when.time ?? 0, "parents:", commit.parentcount)
}
try print(repository.head().name ?? "?")
do {
  _ = try Repository.open(folder + "/nothing")
} catch {
  print(error.code == -3, error.message?.prefix(22) ?? "?")
}
