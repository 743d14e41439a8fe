// hunspell/hunspell.h --pkg-config hunspell
import Hunspell

let speller = try Hunhandle(affpath: "/usr/share/hunspell/en_US.aff", dpath: "/usr/share/hunspell/en_US.dic")
print(speller.spell("hello"), speller.spell("helo"))
_ = try speller.add("helo")
print(speller.spell("helo"))
