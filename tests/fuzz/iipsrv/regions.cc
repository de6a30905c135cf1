// The patched reader alone: tiles and regions of a TIFF in memory.
//
// An input is a byte with the number of steps, 9 bytes for each (what, level, box), and a file.
// Linked with --wrap=TIFFOpen, so that libtiff reads the input instead of a file.

#include <sys/mman.h>
#include <tiffio.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "Cache.h"
#include "JPEGCompressor.h"
#include "TPTImage.h"
#include "TileManager.h"
#include "input.h"

namespace {

const unsigned MOST_STEPS = 6;

struct Bytes {
  const uint8_t* data;
  size_t size, at;
} file;

std::string file_name;
unsigned char pixel;

tmsize_t read_bytes(thandle_t, void* buffer, tmsize_t size) {
  if (file.at >= file.size || size <= 0) return 0;
  const size_t length = std::min((size_t) size, file.size - file.at);
  memcpy(buffer, file.data + file.at, length);
  file.at += length;
  return length;
}

tmsize_t write_nothing(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek(thandle_t, toff_t offset, int whence) {
  file.at = offset + (whence == SEEK_CUR ? file.at : whence == SEEK_END ? file.size : 0);
  return file.at;
}

int close_file(thandle_t) { return 0; }

toff_t size_of(thandle_t) { return file.size; }

struct Step {
  uint8_t what, level;
  uint16_t x, y;
  uint8_t w, h;
  uint8_t scale;
};

// read_step: what a request does with an opened image.
void read_step(TPTImage& image, TileManager& tiles, Input& input) {
  Step step;
  step.what = input.take<uint8_t>();
  step.level = input.take<uint8_t>();
  step.x = input.take<uint16_t>();
  step.y = input.take<uint16_t>();
  step.w = input.take<uint8_t>();
  step.h = input.take<uint8_t>();
  step.scale = input.take<uint8_t>();
  if (step.what & 8) image.keepYCbCr();
  const unsigned shift = step.scale % 25, level = step.level % 34;
  const unsigned x = (unsigned) step.x << shift, y = (unsigned) step.y << shift;
  const unsigned w = (unsigned) step.w << shift, h = (unsigned) step.h << shift;
  if ((step.what & 7) == 0) {
    const RawTile tile = image.getTile(0, 90, level, 0, x);
    if (tile.dataLength) pixel ^= ((unsigned char*) tile.data)[tile.dataLength - 1];
  } else if ((step.what & 7) == 1) {
    // As a JPEG if it can be one, from the cache the second time, and cropped at the edge.
    for (int i = 0; i < 2; i++) tiles.getTile(level, x, 0, 90, 0, step.what & 16 ? JPEG : UNCOMPRESSED);
  } else if ((step.what & 7) == 3) {
    const std::string cut = image.cutRegion(level, x, y, w, h);
    for (const char byte : cut) pixel ^= byte;
  } else {
    RawTile region = step.what & 4 ? tiles.getRegion(level, 0, 90, 0, x, y, w, h)
                                   : image.getRegion(0, 90, level, 0, x, y, w, h);
    for (unsigned i = 0; i < region.dataLength; i++) pixel ^= ((unsigned char*) region.data)[i];
  }
}

}  // namespace

extern "C" TIFF* __wrap_TIFFOpen(const char* name, const char* mode) {
  file.at = 0;
  return TIFFClientOpen(name, mode, nullptr, read_bytes, write_nothing, seek, close_file, size_of,
                        nullptr, nullptr);
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // iipsrv looks at the kind and the time of a file that it opens.
  const int empty = memfd_create("input", 0);
  if (write(empty, "II*\0\0\0\0\0\0\0", 10) != 10) abort();
  file_name = "/dev/fd/" + std::to_string(empty);
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static IIPImage* known = nullptr;
  if (!known) {
    known = new IIPImage(file_name);
    known->Initialise();
  }
  Input input = {data, size};
  const unsigned head = input.take<uint8_t>(), steps = head % MOST_STEPS + 1;
  if (input.size < 9 * steps + 8) return -1;
  file = {input.data + 9 * steps, input.size - 9 * steps, 0};
  TPTImage image(*known);
  JPEGCompressor compressor(90);
  Cache cache(head & 64 ? 1 : 0);
  try {
    image.openImage();
  } catch (const file_error&) {
    return 0;
  }
  for (unsigned i = 0; i < steps; i++) {
    TileManager tiles(&cache, &image, nullptr, &compressor, nullptr, 0);
    try {
      read_step(image, tiles, input);
    } catch (const file_error&) {
    } catch (const std::string&) {
    } catch (const std::bad_alloc&) {
    }
  }
  return 0;
}
