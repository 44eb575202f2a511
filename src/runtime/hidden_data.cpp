// SPDX-License-Identifier: Apache-2.0
#include "runtime/hidden_data.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <grp.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cstdarg>
#include <string>
#include <vector>

#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/loops.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// What is kept, by those who keep it.  Two threads that use it at once race.
enum class Kept : unsigned char {
  kOptions,
  kTable,
  kUsers,
  kGroups,
  kHosts,
  kNetworks,
  kProtocols,
  kServices,
  kDomains,
  kLog,
  kConversions,
  kLocaleText,
  kTemporaryName,
  kTerminal,
  kCount,
};
constexpr char kKeys[static_cast<std::size_t>(Kept::kCount)] = {};

// Since the last execution, and what it was.
struct Used {
  bool any[static_cast<std::size_t>(Kept::kCount)] = {};
  bool has_table = false;
  int log_mask = -1;
};
constinit Used used;

struct Binding {
  std::string domain, folder;
};
std::vector<Binding> bindings;
std::string domain_before;

void use(Ranges& to, Kept what) {
  used.any[static_cast<std::size_t>(what)] = true;
  to.uses_hidden(&kKeys[static_cast<std::size_t>(what)], true);
}

bool was_used(Kept what) {
  return used.any[static_cast<std::size_t>(what)];
}

// A variable of the C library's that all may read: it is written under a lock,
// or as good as that, so those who write it do not race.
template <typename T>
void set_variable(const T* variable, std::uintptr_t pc) {
  if (!is_seen(pc)) return;
  globals_written(number_of(variable), sizeof(T));
  if (alone() || !state.in_race_mode) return;
  const Race* const race = races().atomic_store(
      self(), number_of(variable), sizeof(T), __ATOMIC_RELAXED, pc);
  if (race == nullptr) return;
  Finding finding;
  finding.fault = Fault::kRace;
  finding.address = race->address;
  finding.size = race->size;
  finding.pc = race->pc;
  finding.other = race->other;
  finding.other_pc = race->other_pc;
  std::snprintf(finding.text, sizeof(finding.text), "%s", describe(*race));
  fail(finding);
}

void use_options(Ranges& to, int count, char* const* words) {
  use(to, Kept::kOptions);
  to.writes(&optind, sizeof(optind));
  to.writes(&optarg, sizeof(optarg));
  to.writes(&optopt, sizeof(optopt));
  to.reads(&opterr, sizeof(opterr));
  if (count > 0) {
    to.writes(words, static_cast<std::size_t>(count) * sizeof(*words));
  }
}

// States of conversions that callers do not give: ours, one for each function.
struct States {
  std::uint32_t run = 0;
  mbstate_t state[8] = {};
};
constinit States states;

mbstate_t* state_for(mbstate_t* given, std::size_t function,
                     std::uintptr_t pc) {
  if (given != nullptr) {
    tell_write(given, pc);
    return given;
  }
  if (states.run != run_number) states = {run_number};
  if (is_seen(pc)) {
    tell_before(
        pc, [&](Ranges& to) { to.uses_hidden(&states.state[function], true); });
  }
  return &states.state[function];
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

#define PLUMB_KEEPS(what, result, name, parameters, arguments, ...) \
  PLUMB_TELLS_QUIETLY(                                              \
      result, name, parameters, arguments, use(to, Kept::what); __VA_ARGS__)

// ---- Options.

PLUMB_TELLS_QUIETLY(int, getopt,
                    (int count, char* const* words, const char* letters),
                    (count, words, letters), use_options(to, count, words),
                    to.reads_text(letters))
PLUMB_TELLS_QUIETLY(int, getopt_long,
                    (int count, char* const* words, const char* letters,
                     const option* all, int* index),
                    (count, words, letters, all, index),
                    use_options(to, count, words), to.reads_text(letters),
                    to.writes(index, index ? sizeof(*index) : 0))
PLUMB_TELLS_QUIETLY(int, getopt_long_only,
                    (int count, char* const* words, const char* letters,
                     const option* all, int* index),
                    (count, words, letters, all, index),
                    use_options(to, count, words), to.reads_text(letters),
                    to.writes(index, index ? sizeof(*index) : 0))

// ---- The table of hsearch().

PLUMB_STAND_IN(int, hcreate, (size_t room)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [](Ranges& to) { use(to, Kept::kTable); });
  }
  const bool was_active = active;
  const InLibrary quiet;
  const int made = real_hcreate(room);
  if (was_active && made != 0) used.has_table = true;
  return made;
}
PLUMB_STAND_IN(void, hdestroy, ()) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [](Ranges& to) { use(to, Kept::kTable); });
  }
  const InLibrary quiet;
  used.has_table = false;
  real_hdestroy();
}
PLUMB_KEEPS(kTable, ENTRY*, hsearch, (ENTRY item, ACTION what), (item, what),
            to.reads_text(item.key))

// ---- Lists of users, groups, hosts, ...: where one has come to, and the
// answer, which the next one overwrites.

#define PLUMB_LIST(what, type, get, set, end) \
  PLUMB_KEEPS(what, type*, get, (), ())       \
  PLUMB_KEEPS(what, void, set, (), ())        \
  PLUMB_KEEPS(what, void, end, (), ())
#define PLUMB_OPEN_LIST(what, type, get, set, end) \
  PLUMB_KEEPS(what, type*, get, (), ())            \
  PLUMB_KEEPS(what, void, set, (int stay), (stay)) \
  PLUMB_KEEPS(what, void, end, (), ())
#define PLUMB_BY_NAME(what, type, name) \
  PLUMB_KEEPS(what, type*, name, (const char* key), (key), to.reads_text(key))
#define PLUMB_BY_NUMBER(what, type, name, number) \
  PLUMB_KEEPS(what, type*, name, (number key), (key))

PLUMB_LIST(kUsers, passwd, getpwent, setpwent, endpwent)
PLUMB_BY_NAME(kUsers, passwd, getpwnam)
PLUMB_BY_NUMBER(kUsers, passwd, getpwuid, uid_t)
PLUMB_LIST(kGroups, group, getgrent, setgrent, endgrent)
PLUMB_BY_NAME(kGroups, group, getgrnam)
PLUMB_BY_NUMBER(kGroups, group, getgrgid, gid_t)
PLUMB_OPEN_LIST(kHosts, hostent, gethostent, sethostent, endhostent)
PLUMB_OPEN_LIST(kNetworks, netent, getnetent, setnetent, endnetent)
PLUMB_BY_NAME(kNetworks, netent, getnetbyname)
PLUMB_OPEN_LIST(kProtocols, protoent, getprotoent, setprotoent, endprotoent)
PLUMB_BY_NAME(kProtocols, protoent, getprotobyname)
PLUMB_BY_NUMBER(kProtocols, protoent, getprotobynumber, int)
PLUMB_OPEN_LIST(kServices, servent, getservent, setservent, endservent)
PLUMB_KEEPS(kServices, servent*, getservbyname,
            (const char* key, const char* protocol), (key, protocol),
            to.reads_text(key))
PLUMB_KEEPS(kServices, servent*, getservbyport,
            (int port, const char* protocol), (port, protocol))

// ---- Texts in memory of the C library's.

PLUMB_KEEPS(kLocaleText, lconv*, localeconv, (), ())
PLUMB_KEEPS(kTerminal, char*, ttyname, (int file), (file))
PLUMB_STAND_IN(char*, tmpnam, (char* out)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      if (out == nullptr) return use(to, Kept::kTemporaryName);
      to.writes(out, L_tmpnam);
    });
  }
  return real_tmpnam(out);
}

// ---- Messages in other languages.

PLUMB_STAND_IN(char*, textdomain, (const char* name)) {
  const bool sets = active && name != nullptr;
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.uses_hidden(&kKeys[static_cast<size_t>(Kept::kDomains)], sets);
      if (sets) to.reads_text(name);
    });
  }
  const InLibrary quiet;
  if (sets && !was_used(Kept::kDomains)) {
    used.any[static_cast<size_t>(Kept::kDomains)] = true;
    domain_before = real_textdomain(nullptr);
  }
  return real_textdomain(name);
}
PLUMB_STAND_IN(char*, bindtextdomain, (const char* name, const char* folder)) {
  const bool sets = active && name != nullptr && folder != nullptr;
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.uses_hidden(&kKeys[static_cast<size_t>(Kept::kDomains)], sets);
      if (sets) to.reads_text(folder);
    });
  }
  const InLibrary quiet;
  if (sets) {
    const char* const before = real_bindtextdomain(name, nullptr);
    bindings.push_back({name, before ? before : ""});
  }
  return real_bindtextdomain(name, folder);
}

// ---- The log of the system.

PLUMB_KEEPS(kLog, void, openlog, (const char* name, int how, int facility),
            (name, how, facility))
PLUMB_KEEPS(kLog, void, closelog, (), ())
PLUMB_STAND_IN(int, setlogmask, (int mask)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [](Ranges& to) { use(to, Kept::kLog); });
  }
  const int before = real_setlogmask(mask);
  if (active && used.log_mask < 0) used.log_mask = before;
  return before;
}

// ---- Characters of several bytes.

PLUMB_KEEPS(kConversions, int, mblen, (const char* s, size_t n), (s, n),
            if (s) to.reads(s, strnlen(s, n)))
PLUMB_KEEPS(kConversions, int, mbtowc, (wchar_t * out, const char* s, size_t n),
            (out, s, n), if (s) to.reads(s, strnlen(s, n));
            if (s && out) to.writes(out, sizeof(*out)))
PLUMB_KEEPS(kConversions, int, wctomb, (char* out, wchar_t c), (out, c),
            if (out) to.writes(out, 1))

PLUMB_STAND_IN(size_t, mbrtowc,
               (wchar_t * out, const char* s, size_t n, mbstate_t* given)) {
  if (!active) return real_mbrtowc(out, s, n, given);
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  mbstate_t* const now = state_for(given, 0, pc);
  if (is_seen(pc) && s != nullptr) {
    tell_before(pc, [&](Ranges& to) {
      to.reads(s, std::min<size_t>(n, strnlen(s, n) + 1));
      if (out != nullptr) to.writes(out, sizeof(*out));
    });
  }
  return real_mbrtowc(out, s, n, now);
}
PLUMB_STAND_IN(size_t, mbrlen, (const char* s, size_t n, mbstate_t* given)) {
  if (!active) return real_mbrlen(s, n, given);
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  mbstate_t* const now = state_for(given, 1, pc);
  if (is_seen(pc) && s != nullptr) {
    tell_before(pc, [&](Ranges& to) {
      to.reads(s, std::min<size_t>(n, strnlen(s, n) + 1));
    });
  }
  return real_mbrlen(s, n, now);
}
PLUMB_STAND_IN(size_t, wcrtomb, (char* out, wchar_t c, mbstate_t* given)) {
  if (!active) return real_wcrtomb(out, c, given);
  mbstate_t* const now = state_for(given, 2, PLUMB_PC_NUMBER);
  const size_t bytes = real_wcrtomb(out, c, now);
  if (is_seen(PLUMB_PC_NUMBER) && out != nullptr && bytes <= MB_CUR_MAX) {
    tell_after(PLUMB_PC_NUMBER, [&](Ranges& to) { to.writes(out, bytes); });
  }
  return bytes;
}
#define PLUMB_CONVERTS(name, target, source, number)                        \
  PLUMB_STAND_IN(                                                           \
      size_t, name,                                                         \
      (target * out, const source** from, size_t room, mbstate_t* given)) { \
    if (!active) return real_##name(out, from, room, given);                \
    const std::uintptr_t pc = PLUMB_PC_NUMBER;                              \
    mbstate_t* const now = state_for(given, number, pc);                    \
    if (out != nullptr) tell_write(from, pc);                               \
    const size_t made = real_##name(out, from, room, now);                  \
    if (is_seen(pc) && out != nullptr && made <= room) {                    \
      tell_after(pc, [&](Ranges& to) {                                      \
        to.writes(out, std::min(made + 1, room) * sizeof(*out));            \
      });                                                                   \
    }                                                                       \
    return made;                                                            \
  }
PLUMB_CONVERTS(mbsrtowcs, wchar_t, char, 3)
PLUMB_CONVERTS(wcsrtombs, char, wchar_t, 4)

// ---- Variables that functions set.

PLUMB_STAND_IN(void, tzset, ()) {
  set_variable(&timezone, PLUMB_PC_NUMBER);
  set_variable(&daylight, PLUMB_PC_NUMBER);
  set_variable(&tzname[0], PLUMB_PC_NUMBER);
  set_variable(&tzname[1], PLUMB_PC_NUMBER);
  const InLibrary quiet;
  real_tzset();
}
#define PLUMB_SIGN(type, name)               \
  PLUMB_STAND_IN(type, name, (type x)) {     \
    set_variable(&signgam, PLUMB_PC_NUMBER); \
    return real_##name(x);                   \
  }
PLUMB_SIGN(double, lgamma)
PLUMB_SIGN(float, lgammaf)
PLUMB_SIGN(long double, lgammal)
PLUMB_SIGN(double, gamma)

namespace plumb::runtime {

void tell_host(const char* name, std::uintptr_t pc) {
  if (!is_seen(pc)) return;
  tell_before(pc, [&](Ranges& to) {
    use(to, Kept::kHosts);
    to.reads_text(name);
  });
}

}  // namespace plumb::runtime

namespace plumb::runtime {
namespace {

// Another round begins at 0.
void put_back_options() {
  char name[] = "x";
  char* words[] = {name, nullptr};
  optind = 0;
  real_getopt(1, words, "");
  optind = opterr = 1;
  optarg = nullptr;
  optopt = '?';
}

void put_back_domains() {
  real_textdomain(domain_before.c_str());
}

void put_back_log() {
  real_openlog(nullptr, 0, LOG_USER);
  real_closelog();
  if (used.log_mask >= 0) real_setlogmask(used.log_mask);
}

void put_back_conversions() {
  real_mblen(nullptr, size_t{0});
  real_mbtowc(nullptr, nullptr, size_t{0});
  real_wctomb(nullptr, 0);
}

}  // namespace

void put_back_hidden_data() {
  if (used.has_table) real_hdestroy();
  for (auto at = bindings.rbegin(); at != bindings.rend(); ++at) {
    real_bindtextdomain(at->domain.c_str(), at->folder.c_str());
  }
  if (!bindings.empty()) bindings.clear();
  const auto undo = [](Kept what, auto how) {
    if (was_used(what)) how();
  };
  undo(Kept::kOptions, put_back_options);
  undo(Kept::kUsers, [] { real_endpwent(); });
  undo(Kept::kGroups, [] { real_endgrent(); });
  undo(Kept::kHosts, [] { real_endhostent(); });
  undo(Kept::kNetworks, [] { real_endnetent(); });
  undo(Kept::kProtocols, [] { real_endprotoent(); });
  undo(Kept::kServices, [] { real_endservent(); });
  undo(Kept::kDomains, put_back_domains);
  undo(Kept::kLog, put_back_log);
  undo(Kept::kConversions, put_back_conversions);
  used = Used{};
}

}  // namespace plumb::runtime
