// libfcgi's functions by which iipsrv answers, and its allocations: each byte of an answer is read.

#include <fcgiapp.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

const size_t LARGEST_ALLOCATION = 1 << 20;

unsigned char output_byte;

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

extern "C" {

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

}  // extern "C"
