// sndfile.h --pkg-config sndfile --thread caller
// sf_readf_*/ptr memory=out[frames*2:result*2]
// sf_writef_*/ptr memory=in[frames*2]
import SndFile

let path = CommandLine.arguments[1] + "/tone.wav"
var info = Info()
info.samplerate = 8000
info.channels = 2
info.format = SndFileConstant.formatWav | SndFileConstant.formatPcm16
do {
  let file = try Sndfile.open(path, mode: SndFileConstant.sfmWrite, sfinfo: &info)
  let samples = (0..<64).map { Int16($0 * 100) }
  print("wrote", file.writefShort(samples.span))
  try file.setString(SndFileConstant.strTitle, str: "Tone")
}
var found = Info()
let file = try Sndfile.open(path, mode: SndFileConstant.sfmRead, sfinfo: &found)
print(found.frames, found.channels, found.samplerate, file.string(SndFileConstant.strTitle) ?? "no title")
print(try file.readfShort(upTo: 20).count, try file.readfFloat(upTo: 100).count)
do { _ = try Sndfile.open("/nowhere", mode: SndFileConstant.sfmRead, sfinfo: &found) } catch { print(error) }
