// libfcgi's functions as iipsrv calls them, and libFuzzer's: each input is some requests and a file.
//
// An input is queries, each on a line of its own; an empty line; then a file. `?` in a query is the
// file's name. A second file may follow the first behind SECOND_FILE: it takes the first one's place
// before the second request, while iipsrv still remembers the sizes of the first.

#include <fcgiapp.h>
#include <sys/mman.h>
#include <tiffio.h>
#include <unistd.h>

#include <cstdlib>

#include "input.h"

int iipsrv_main(int argc, char** argv);

namespace {

const char SECOND_FILE[] = "==second file==";
const size_t MOST_REQUESTS = 4;

std::string queries, query, second_file, file_name;
size_t requests;
int file = -1;

void write_file(const char* data, size_t size) {
  if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t) size) abort();
}

}  // namespace

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
