// samplerate.h --pkg-config samplerate
// SRC_DATA.data_in memory=in[input_frames*channels?:input_frames_used*channels?]
// SRC_DATA.data_out memory=out[output_frames*channels?:output_frames_gen*channels?]
import SampleRate

// A stereo tone at 44,100 Hz, which becomes one at 22,050 Hz in parts.
let converter = try State(converterType: SampleRateConstant.linear, channels: 2)
var data = SrcData()
(data.channels, data.srcRatio, data.outputFrames) = (2, 0.5, 300)
var frames = 0
var rest = (0..<2_000).map { Float($0 % 2 == 0 ? 0.25 : -0.5) }
while data.endOfInput == 0 || data.outputFramesGen > 0 {
  data.dataIn += rest.prefix(500)
  rest.removeFirst(min(500, rest.count))
  data.endOfInput = rest.isEmpty ? 1 : 0
  try converter.process(&data)
  frames += data.outputFramesGen
  precondition(data.dataOut.count == 2 * data.outputFramesGen)
  precondition(stride(from: 0, to: data.dataOut.count, by: 2).allSatisfy { data.dataOut[$0] == 0.25 })
}
print(frames, try converter.channels())
data.srcRatio = -1
data.dataIn = [0, 0]
do { try converter.process(&data) } catch { print(error) }
data.channels = 1
data.srcRatio = 2
data.dataIn = [1, 1, 1, 1]
try SampleRateLibrary.simple(&data, converterType: SampleRateConstant.zeroOrderHold, channels: 1)
print(data.dataOut.count, data.dataOut.first ?? 0)
