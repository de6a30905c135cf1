// What the fuzzers share: numbers taken from the front of an input, and the requests that are let through.

#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <set>
#include <sstream>
#include <string>

struct Input {
  const uint8_t* data;
  size_t size;
  // take: zeros, when nothing is left.
  template <typename T> T take() {
    T value = T();
    const size_t length = std::min(size, sizeof value);
    memcpy(&value, data, length);
    data += length;
    size -= length;
    return value;
  }
  unsigned take_below(unsigned limit) { return take<uint8_t>() % limit; }
  std::string rest() const { return std::string((const char*) data, size); }
};

// keep_commands: those that the patches touch, and the gateway and IIIF clients send. The others
// (TIL, JTL, CTW, SHD, PFL, ...) trust their arguments, and are of no use to anybody here.
inline std::string keep_commands(const std::string& all) {
  static const std::set<std::string> commands = {"iiif", "res", "fif", "cvt", "wid",
                                                 "hei",  "rgn", "rot", "col", "qlt"};
  std::string kept;
  std::istringstream parts(all);
  for (std::string part; std::getline(parts, part, '&');) {
    std::string command = part.substr(0, part.find('='));
    std::transform(command.begin(), command.end(), command.begin(), ::tolower);
    if (commands.count(command)) kept += (kept.empty() ? "" : "&") + part;
  }
  return kept;
}
