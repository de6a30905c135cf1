// The parser of requests and all that follows it, but for the file: an image made of a pattern.
//
// An input is 8 bytes that describe the image, and a query. Linked without FIF.o: `FIF` opens the
// image described, whatever its argument is.

#include <cstdlib>
#include <memory>
#include <string>

#include "Environment.h"
#include "Task.h"
#include "Tokenizer.h"
#include "input.h"

namespace {

const unsigned LARGEST_SIDE = 90;

// Pattern: an image of any size, kind and rounding of its levels, whose tiles may be other than announced.
class Pattern : public IIPImage {
  uint8_t shade, lie;
  bool ycbcr = false;

 public:
  explicit Pattern(Input& input) : IIPImage("/pattern.tif") {
    format = TIF;
    const unsigned kind = input.take_below(24), rounded_up = kind & 1;
    const unsigned width = input.take_below(LARGEST_SIDE) + 1, height = input.take_below(LARGEST_SIDE) + 1;
    tile_width = 16 * (1 + input.take_below(4));
    tile_height = 16 * (1 + input.take_below(4));
    numResolutions = input.take_below(6) + 1;
    shade = input.take<uint8_t>();
    // One image in four is replaced while it is read.
    lie = input.take<uint8_t>();
    if (lie < 192) lie = 0;
    static const unsigned CHANNELS[] = {1, 3, 3, 4, 2, 3}, BITS[] = {8, 16, 32, 8};
    channels = CHANNELS[kind / 4];
    bpc = kind & 2 ? BITS[shade & 3] : 8;
    sampleType = bpc == 32 && shade & 4 ? FLOATINGPOINT : FIXEDPOINT;
    colourspace = channels < 3 ? GREYSCALE : kind == 20 ? CIELAB : sRGB;
    min.assign(channels, 0.0f);
    max.assign(channels, bpc == 8 ? 255.0f : 65535.0f);
    for (unsigned level = 0, up = 0; level < numResolutions; level++, up = rounded_up) {
      const unsigned more = up ? (1 << level) - 1 : 0;
      image_widths.push_back(std::max((width + more) >> level, 1u));
      image_heights.push_back(std::max((height + more) >> level, 1u));
    }
    // As they come out of a file: XMP of any length goes into a JPEG.
    if (shade & 8) metadata["xmp"] = std::string((size_t) shade * 300, 'x');
    if (shade & 16) metadata["icc"] = std::string((size_t) shade * 300, 'p');
    isSet = true;
  }

  void openImage() override {}
  void keepYCbCr() override { ycbcr = channels == 3 && bpc == 8 && shade & 32; }
  bool regionDecoding() override { return shade & 64; }

  RawTile make(unsigned level, unsigned number, unsigned width, unsigned height) {
    RawTile tile(number, level, 0, 90, width, height, channels, bpc);
    tile.filename = getImagePath();
    tile.sampleType = sampleType;
    tile.ycbcr = ycbcr;
    tile.allocate((size_t) width * height * channels * (bpc / 8));
    memset(tile.data, shade, tile.dataLength);
    return tile;
  }

  RawTile getTile(int, int, unsigned level, int, unsigned number) override {
    if (level >= numResolutions) throw file_error("no such level");
    const unsigned width = image_widths[numResolutions - level - 1], height = image_heights[numResolutions - level - 1];
    const unsigned columns = (width + tile_width - 1) / tile_width, rows = (height + tile_height - 1) / tile_height;
    if (number >= columns * rows) throw file_error("no such tile");
    const unsigned w = std::min(tile_width, width - number % columns * tile_width);
    const unsigned h = std::min(tile_height, height - number / columns * tile_height);
    if (lie && lie % 7 == number % 7) return make(level, number, lie & 8 ? tile_width : 1 + lie % w, lie & 16 ? tile_height : h);
    return make(level, number, w, h);
  }

  RawTile getRegion(int, int, unsigned level, int, int x, int y, unsigned w, unsigned h) override {
    if (level >= numResolutions) throw file_error("no such level");
    const unsigned width = image_widths[numResolutions - level - 1], height = image_heights[numResolutions - level - 1];
    // What every format's reader may rely on.
    if (x < 0 || y < 0 || !w || !h || x + w > width || y + h > height) throw file_error("outside");
    return make(level, 0, w, h);
  }
};

Input described;
int quality;

}  // namespace

void FIF::run(Session* session, const std::string&) {
  delete *session->image;
  *session->image = nullptr;
  Input input = described;
  *session->image = new Pattern(input);
  session->view->xangle = 0;
  session->view->yangle = 90;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // As in containers/iipsrv/start, but for the size of pictures.
  const char* environment[][2] = {{"INTERPOLATION", "4"}, {"JPEG_FULL_COLOUR_PIXELS", "400"}};
  for (const auto& [name, value] : environment) setenv(name, value, 1);
  return 0;
}

// As main() does with a request.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input = {data, size};
  described = input;
  for (int i = 0; i < 8; i++) input.take<uint8_t>();
  const std::string query = keep_commands(input.rest());
  if (query.empty()) return -1;
  static Transform transform;
  static Watermark watermark;
  FCGX_Request request = {};
  FCGIWriter writer(request);
  JPEGCompressor jpeg(90);
  IIPImage* image = nullptr;
  View view;
  view.setMaxSize(48);
  view.setAllowUpscaling(!(size & 1));
  view.setEmbedICC(size & 2);
  IIPResponse response;
  imageCacheMapType images;
  Cache tiles(size & 4 ? 1 : 0);
  Session session;
  session.image = &image;
  session.response = &response;
  session.view = &view;
  session.jpeg = &jpeg;
  session.loglevel = 0;
  session.logfile = nullptr;
  session.imageCache = &images;
  session.tileCache = &tiles;
  session.out = &writer;
  session.watermark = &watermark;
  session.processor = &transform;
  session.headers["QUERY_STRING"] = query;
  session.headers["BASE_URL"] = "";
  try {
    Tokenizer parts(query, "&");
    while (parts.hasMoreTokens()) {
      const std::string part = parts.nextToken();
      const size_t equals = part.find_first_of('=');
      if (equals == std::string::npos || !equals || equals + 1 == part.size()) continue;
      const std::unique_ptr<Task> task(Task::factory(part.substr(0, equals)));
      if (task) task->run(&session, part.substr(equals + 1));
    }
    if (response.isSet()) writer.printf(response.formatResponse().c_str());
  } catch (const int&) {
  } catch (const std::string&) {
  } catch (const std::exception&) {
  }
  delete image;
  return 0;
}
