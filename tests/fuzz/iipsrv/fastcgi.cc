// libfcgi's functions as iipsrv calls them, and libFuzzer's: each input is some requests and a file.
//
// An input is queries, each on a line of its own; an empty line; then a file. `?` in a query is the
// file's name. A second file may follow the first behind SECOND_FILE: it takes the first one's place
// before the second request, while iipsrv still remembers the sizes of the first.

#include <fcgiapp.h>
#include <sys/mman.h>
#include <tiffio.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <sstream>
#include <string>

int iipsrv_main(int argc, char** argv);

namespace {

const char SECOND_FILE[] = "==second file==";
const size_t LARGEST_ALLOCATION = 24 << 20;
const size_t MOST_REQUESTS = 4;

std::string queries, query, second_file, file_name;
size_t requests;
int file = -1;
unsigned char output_byte;

void write_file(const char* data, size_t size) {
  if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t) size) abort();
}

// keep_commands: those that the patches touch, and the gateway and IIIF clients send. The other
// dozen (CTW, SHD, PFL, ...) trust their arguments, and are of no use to anybody here.
std::string keep_commands(const std::string& all) {
  const std::set<std::string> commands = {"iiif", "res", "fif", "cvt", "wid", "hei", "rgn",
                                          "rot",  "col", "qlt", "jtl", "til", "obj"};
  std::string kept;
  std::istringstream parts(all);
  for (std::string part; std::getline(parts, part, '&');) {
    std::string command = part.substr(0, part.find('='));
    std::transform(command.begin(), command.end(), command.begin(), ::tolower);
    if (commands.count(command)) kept += (kept.empty() ? "" : "&") + part;
  }
  return kept;
}

// read_output: so that a byte that does not exist, or was never written, is noticed.
int read_output(const char* data, int length) {
  for (int i = 0; i < length; i++) output_byte ^= data[i];
  return length;
}

}  // namespace

// What a file claims must not cost the fuzzer its memory: iipsrv has a limit there, too.
void* operator new[](size_t size) {
  void* memory = size > LARGEST_ALLOCATION ? nullptr : operator new[](size, std::nothrow);
  if (!memory) throw std::bad_alloc();
  return memory;
}

// Signals are libFuzzer's. Main.cc is compiled with this name for signal().
extern "C" void (*keep_signal(int, void (*handler)(int)))(int) { return handler; }

extern "C" {

int FCGX_InitRequest(FCGX_Request* request, int, int) {
  memset(request, 0, sizeof *request);
  request->ipcFd = -1;
  return 0;
}

int FCGX_IsCGI(void) { return 0; }

int FCGX_OpenSocket(const char*, int) { return -1; }

int FCGX_Accept_r(FCGX_Request*) {
  const size_t end = queries.find('\n');
  if (queries.empty() || ++requests > MOST_REQUESTS) return -1;
  query = keep_commands(queries.substr(0, end));
  queries = end == std::string::npos ? "" : queries.substr(end + 1);
  for (size_t at = query.find('?'); at != std::string::npos; at = query.find('?', at))
    query.replace(at, 1, file_name);
  if (requests == 2 && !second_file.empty()) write_file(second_file.data(), second_file.size());
  return 0;
}

char* FCGX_GetParam(const char* name, FCGX_ParamArray) {
  return strcmp(name, "QUERY_STRING") ? nullptr : &query[0];
}

int FCGX_PutStr(const char* data, int length, FCGX_Stream*) { return read_output(data, length); }

int FCGX_PutS(const char* text, FCGX_Stream*) { return read_output(text, strlen(text)); }

int FCGX_FFlush(FCGX_Stream*) { return 0; }

FCGX_Stream* FCGX_CreateWriter(int, int, int, int) {
  return static_cast<FCGX_Stream*>(calloc(1, sizeof(FCGX_Stream)));
}

void FCGX_FreeStream(FCGX_Stream** stream) {
  free(*stream);
  *stream = nullptr;
}

int FCGX_GetError(FCGX_Stream*) { return 0; }

// Only the unpatched iipsrv calls it, with a file's name as the format.
int FCGX_FPrintF(FCGX_Stream*, const char* format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return length;
}

int LLVMFuzzerInitialize(int*, char***) {
  file = memfd_create("input", 0);
  file_name = "/dev/fd/" + std::to_string(file);
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandler(nullptr);
  // As in containers/iipsrv/start, but for the size of pictures.
  const char* environment[][2] = {
      {"VERBOSITY", "0"},          {"FILESYSTEM_PREFIX", ""}, {"JPEG_QUALITY", "90"},
      {"EMBED_ICC", "0"},          {"INTERPOLATION", "4"},    {"ALLOW_UPSCALING", "1"},
      {"MAX_IMAGE_CACHE_SIZE", "0"}, {"MAX_CVT", "96"}, {"JPEG_FULL_COLOUR_PIXELS", "4096"},
  };
  for (const auto& [name, value] : environment) setenv(name, value, 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string input((const char*) data, size);
  const size_t end = input.find("\n\n");
  if (end == std::string::npos) return -1;
  queries = input.substr(0, end);
  const size_t first = end + 2, separator = input.find(SECOND_FILE, first);
  second_file = separator == std::string::npos ? "" : input.substr(separator + sizeof SECOND_FILE - 1);
  write_file(input.data() + first, std::min(separator, size) - first);
  requests = 0;
  char name[] = "iipsrv.fcgi", *arguments[] = {name, nullptr};
  iipsrv_main(1, arguments);
  return 0;
}

}  // extern "C"
