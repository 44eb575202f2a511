// SPDX-License-Identifier: Apache-2.0
// Tests of what the C library keeps between calls: threads race for it, and the
// next execution finds nothing of it.
#include <plumb/test.h>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <getopt.h>
#include <grp.h>
#include <libintl.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

#include <atomic>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <thread>

namespace {

// Six executions.
void explore_some() {
  std::atomic<int> value = 0;
  const auto count = [&] {
    ++value;
    ++value;
  };
  std::thread other(count);
  count();
  other.join();
}

char program[] = "p";
char letters[] = "-abc";
char* words[] = {program, letters, nullptr};

int next_option() {
  return getopt(2, words, "abc");
}
int next_long_option() {
  static const option all[] = {{"b", 0, nullptr, 'b'}, {}};
  return getopt_long(2, words, "abc", all, nullptr);
}
ENTRY item() {
  static char key[] = "k";
  return {key, nullptr};
}

}  // namespace

// What the last line leaves, the first one must not find.
#define ANEW(name, first, last) \
  PLUMB_TEST(name) {            \
    test.run([] {               \
      first;                    \
      explore_some();           \
      last;                     \
    });                         \
  }
#define RACES(name, one, another)     \
  PLUMB_TEST(name) {                  \
    test.expect("race").run([] {      \
      std::thread other([] { one; }); \
      another;                        \
      other.join();                   \
    });                               \
  }
#define GOES(name, one, another)      \
  PLUMB_TEST(name) {                  \
    test.run([] {                     \
      std::thread other([] { one; }); \
      another;                        \
      other.join();                   \
    });                               \
  }

ANEW(options, PLUMB_ASSERT(next_option() == 'a'), next_option())
ANEW(place_of_options, PLUMB_ASSERT(optind == 1), while (next_option() != -1);
     PLUMB_ASSERT(optind == 2))
ANEW(long_options, PLUMB_ASSERT(next_long_option() == 'a'), )
ANEW(table, PLUMB_ASSERT(hcreate(4) != 0), hsearch(item(), ENTER))
ANEW(table_that_was_destroyed, PLUMB_ASSERT(hcreate(4) != 0), hdestroy())
ANEW(users, PLUMB_ASSERT(getpwent()->pw_uid == 0), getpwent())
ANEW(groups, PLUMB_ASSERT(getgrent()->gr_gid == 0), getgrent())
ANEW(protocols, const protoent* first = getprotoent();
     PLUMB_ASSERT(!first || !std::strcmp(first->p_name, "ip")), )
ANEW(domain, PLUMB_ASSERT(!std::strcmp(textdomain(nullptr), "messages")),
     textdomain("zork"))
ANEW(folder_of_a_domain,
     PLUMB_ASSERT(std::strcmp(bindtextdomain("d", nullptr), "/zork")),
     bindtextdomain("d", "/zork"))
ANEW(state_of_a_conversion, wchar_t wide = 0; setlocale(LC_ALL, "C.UTF-8");
     PLUMB_ASSERT(static_cast<int>(mbrtowc(&wide, "\xf0", 1, nullptr)) == -2), )
ANEW(log_mask, PLUMB_ASSERT(setlogmask(0) == 0xff), setlogmask(1))
ANEW(dumpable, PLUMB_ASSERT(prctl(PR_GET_DUMPABLE) == 1),
     prctl(PR_SET_DUMPABLE, 0))
ANEW(subreaper, int now = 7; prctl(PR_GET_CHILD_SUBREAPER, &now);
     PLUMB_ASSERT(now == 0), prctl(PR_SET_CHILD_SUBREAPER, 1))
ANEW(kind_of_process, PLUMB_ASSERT(!(personality(0xffffffff) & SHORT_INODE)),
     personality(personality(0xffffffff) | SHORT_INODE))
ANEW(priority_of_files, PLUMB_ASSERT(syscall(SYS_ioprio_get, 1, 0) != 0x6000),
     syscall(SYS_ioprio_set, 1, 0, 0x6000))

RACES(options_race, next_option(), next_option())
RACES(place_of_options_races, next_option(), optind = 1)
RACES(tables_race, hcreate(4), hcreate(4))
RACES(users_race, getpwnam("root"), getpwuid(0))
RACES(groups_race, getgrnam("root"), getgrent())
RACES(services_race, getservbyname("http", "tcp"), getservbyport(1, "tcp"))
RACES(locales_race, setlocale(LC_ALL, "C"), setlocale(LC_ALL, nullptr))
RACES(conversions_race, wchar_t wide;
      mbrtowc(&wide, "a", 1, nullptr), wchar_t wide;
      mbrtowc(&wide, "b", 1, nullptr))
RACES(old_conversions_race, wchar_t wide; mbtowc(&wide, "a", 1), mblen("b", 1))
RACES(domains_race, textdomain("a"), textdomain(nullptr))
RACES(temporary_names_race, char* name = std::tmpnam(nullptr);
      PLUMB_ASSERT(name), char* name = std::tmpnam(nullptr); PLUMB_ASSERT(name))
RACES(sign_of_gamma_races, volatile double x = 2.5;
      x = lgamma(x), PLUMB_ASSERT(signgam < 5))
RACES(time_zone_races, tzset(), timezone = 3)

GOES(who_reads_the_locale, setlocale(LC_ALL, nullptr),
     setlocale(LC_ALL, nullptr))
GOES(gamma_twice, volatile double x = 2.5;
     x = std::lgamma(x), volatile double x = 3.5; x = std::lgamma(x))
GOES(time_zone_twice, tzset(), tzset())
GOES(conversions_of_ones_own, wchar_t wide; std::mbstate_t mine = {};
     mbrtowc(&wide, "a", 1, &mine), wchar_t wide; std::mbstate_t mine = {};
     mbrtowc(&wide, "b", 1, &mine))

// ---- What is kept for each thread.

#define EACH_THREAD_HAS(name, first, second, check) \
  PLUMB_TEST(name) {                                \
    test.run([] {                                   \
      std::atomic<int> steps = 0;                   \
      const auto use = [&](int number) {            \
        first;                                      \
        ++steps;                                    \
        PLUMB_ASSERT(check);                        \
      };                                            \
      std::thread other(use, 1);                    \
      use(second);                                  \
      other.join();                                 \
    });                                             \
  }

EACH_THREAD_HAS(text_of_an_error,
                const char* text = std::strerror(7000 + number), 2,
                text[std::strlen(text) - 1] == '0' + number)
EACH_THREAD_HAS(text_of_a_signal, const char* text = strsignal(200 + number), 2,
                text[std::strlen(text) - 1] == '0' + number)
EACH_THREAD_HAS(text_of_an_address,
                const char* text = inet_ntoa(in_addr{htonl(unsigned(number))}),
                2, text[std::strlen(text) - 1] == '0' + number)
EACH_THREAD_HAS(error_of_a_host, h_errno = number, 2, h_errno == number)

// ---- Libraries that are loaded.

PLUMB_TEST(a_library_is_loaded_anew) {
  test.run([] {
    constexpr const char* kLibrary = "libBrokenLocale.so.1";
    PLUMB_ASSERT(dlopen(kLibrary, RTLD_NOLOAD | RTLD_LAZY) == nullptr);
    void* const library = dlopen(kLibrary, RTLD_LAZY);
    PLUMB_ASSERT(library != nullptr);
    PLUMB_ASSERT(dlopen(kLibrary, RTLD_NOLOAD | RTLD_LAZY) == library);
    explore_some();
  });
}

PLUMB_TEST(a_state_that_is_shared) {
  test.expect("race").run([] {
    std::mbstate_t shared = {};
    const auto convert = [&] {
      wchar_t wide = 0;
      mbrtowc(&wide, "a", 1, &shared);
    };
    std::thread other(convert);
    convert();
    other.join();
  });
}

// --- places that several functions share, without a lock

PLUMB_TEST(two_threads_get_a_number_s_digits) {
  test.expect("race").run([] {
    const auto use = [] {
      int point = 0, sign = 0;
      ecvt(1.0, 3, &point, &sign);
    };
    std::thread other(use);
    use();
    other.join();
  });
}

PLUMB_TEST(one_thread_after_the_other_gets_a_number_s_digits) {
  test.run([] {
    const auto use = [] {
      int point = 0, sign = 0;
      PLUMB_ASSERT(std::strcmp(ecvt(1.0, 3, &point, &sign), "100") == 0);
    };
    std::thread other(use);
    other.join();
    use();
  });
}

PLUMB_TEST(a_number_as_letters) {
  test.expect("race").run([] {
    std::thread other([] { l64a(5); });
    l64a(9);
    other.join();
  });
}
