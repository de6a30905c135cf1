// What becomes of pixels: turned, flipped, gray, and encoded in strips or at once, with any metadata.

#include <cstdlib>
#include <vector>

#include "Environment.h"
#include "JPEGCompressor.h"
#include "Transforms.h"
#include "input.h"

namespace {

const unsigned MOST_PIXELS = 2048;
const unsigned STRIP = 128;

// check: an answer is a whole JPEG of the size it was made from.
void check(const std::vector<unsigned char>& answer, unsigned width, unsigned height) {
  if (answer.size() < 4 || answer[0] != 0xff || answer[1] != 0xd8 ||
      answer[answer.size() - 2] != 0xff || answer.back() != 0xd9) __builtin_trap();
  jpeg_decompress_struct decoder;
  jpeg_error_mgr errors;
  decoder.err = jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr) { abort(); };
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, const_cast<unsigned char*>(answer.data()), answer.size());
  jpeg_read_header(&decoder, TRUE);
  if (decoder.image_width != width || decoder.image_height != height) __builtin_trap();
  jpeg_destroy_decompress(&decoder);
}

// encode_strips: as CVT does.
std::vector<unsigned char> encode_strips(JPEGCompressor& jpeg, const RawTile& tile) {
  std::vector<unsigned char> answer;
  jpeg.InitCompression(tile, tile.height);
  answer.insert(answer.end(), jpeg.getHeader(), jpeg.getHeader() + jpeg.getHeaderSize());
  std::vector<unsigned char> output((size_t) tile.width * tile.channels * STRIP + 65536 + jpeg.getMetadataSize());
  for (unsigned row = 0; row < tile.height; row += STRIP) {
    unsigned char* input = (unsigned char*) tile.data + (size_t) row * tile.width * tile.channels;
    const unsigned length = jpeg.CompressStrip(input, output.data(), std::min(STRIP, tile.height - row));
    answer.insert(answer.end(), output.data(), output.data() + length);
  }
  const unsigned length = jpeg.Finish(output.data());
  answer.insert(answer.end(), output.data(), output.data() + length);
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("JPEG_FULL_COLOUR_PIXELS", "600", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input = {data, size};
  const unsigned width = input.take<uint16_t>() % 400 + 1, height = input.take<uint16_t>() % 400 + 1;
  const unsigned channels = input.take_below(5) + 1, changes = input.take<uint8_t>();
  const unsigned profile = input.take<uint16_t>(), packet = input.take<uint16_t>();
  const int quality = input.take<uint8_t>();
  if (width * height > MOST_PIXELS) return -1;
  static Transform transform;
  RawTile tile(0, 0, 0, 90, width, height, channels, 8);
  tile.allocate((size_t) width * height * channels);
  for (unsigned i = 0; i < tile.dataLength; i++) ((uint8_t*) tile.data)[i] = input.size ? input.data[i % input.size] ^ i : i;
  tile.ycbcr = channels == 3 && changes & 1;
  if (channels == 2 || channels > 3) transform.flatten(tile, channels == 2 ? 1 : 3);
  if (tile.channels == 3 && changes & 2) transform.greyscale(tile);
  if (changes & 12) transform.flip(tile, (changes >> 2) & 3);
  if (changes & 48) transform.rotate(tile, ((changes >> 4) & 3) * 90.0f);
  JPEGCompressor jpeg(90);
  jpeg.setQuality(quality);
  if (changes & 64) jpeg.setICCProfile(std::string(profile, 'p'));
  if (changes & 128) jpeg.setXMPMetadata(std::string(packet, 'x'));
  const unsigned turned_width = tile.width, turned_height = tile.height;
  check(encode_strips(jpeg, tile), turned_width, turned_height);
  jpeg.Compress(tile);
  const uint8_t* whole = (uint8_t*) tile.data;
  check(std::vector<uint8_t>(whole, whole + tile.dataLength), turned_width, turned_height);
  return 0;
}
