// libFuzzer's functions for the resampler: hostile sizes, boxes and filters on real pixels.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "Resample.h"
#include "input.h"

namespace {

const unsigned LARGEST_SIDE = 500, LARGEST_PIXELS = 1500;

unsigned side(Input& input) { return input.take<uint16_t>() % LARGEST_SIDE + 1; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input = {data, size};
  const unsigned width = side(input), height = side(input);
  const unsigned out_width = side(input), out_height = side(input);
  const unsigned channels = input.take<uint8_t>() % 5 + 1;
  if (width * height > LARGEST_PIXELS || out_width * out_height > LARGEST_PIXELS) return -1;
  // What CVT promises: a box that begins inside the image and ends there.
  const double x = input.take<uint32_t>() / 4294967296.0 * width;
  const double y = input.take<uint32_t>() / 4294967296.0 * height;
  const double w = (input.take<uint32_t>() + 1.0) / 4294967296.0 * (width - x);
  const double h = (input.take<uint32_t>() + 1.0) / 4294967296.0 * (height - y);
  const resample::Filter filter = input.take<uint8_t>() & 1 ? resample::CUBIC : resample::LANCZOS;
  const bool flat = input.take<uint8_t>() & 1;
  // Memory of exactly these sizes: a read or write beyond is noticed.
  std::vector<uint8_t> in((size_t) width * height * channels), out((size_t) out_width * out_height * channels + 4, 0);
  const uint8_t shade = input.take<uint8_t>();
  for (size_t i = 0; i < in.size(); i++) in[i] = flat || !input.size ? shade : input.data[i % input.size];
  resample::resample(out.data(), out_width, out_height, in.data(), width, height, channels, x, y, w, h, filter);
  // Weights add up to one, so flat stays flat wherever the box lies.
  for (size_t i = 0; flat && i + 4 < out.size(); i++) if (out[i] != shade) __builtin_trap();
  return 0;
}
