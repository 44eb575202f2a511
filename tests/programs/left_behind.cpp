// SPDX-License-Identifier: Apache-2.0
// Tests of what an execution leaves behind in the process, besides memory: the
// next one finds it as it was.
#include <plumb/test.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <locale>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>

namespace {

// Six executions, none of which ends like the one before.
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

int make_file() {
  char name[] = "/tmp/plumb_left_XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  if (write(file, "hello", 5) != 5) std::abort();
  lseek(file, 0, SEEK_SET);
  return file;
}
const int early_file = make_file();

std::atomic<int>* const mapped = static_cast<std::atomic<int>*>(mmap(
    nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

}  // namespace

PLUMB_TEST(memory_that_was_mapped_before_main) {
  test.run([] {
    std::thread other([] { ++*mapped; });
    ++*mapped;
    other.join();
    PLUMB_ASSERT(*mapped == 2);
  });
}

PLUMB_TEST(modes_of_the_processor) {
  test.run([] {
    PLUMB_ASSERT(errno == 0 && std::fegetround() == FE_TONEAREST);
    PLUMB_ASSERT(std::fetestexcept(FE_DIVBYZERO) == 0);
    errno = EDOM;
    std::fesetround(FE_UPWARD);
    std::feraiseexcept(FE_DIVBYZERO);
    explore_some();
    PLUMB_ASSERT(std::fegetround() == FE_UPWARD);
  });
}

PLUMB_TEST(descriptors_are_closed) {
  test.run([] {
    int ends[2];
    const int file = open("/dev/null", O_RDONLY);
    PLUMB_ASSERT(file >= 0 && file < 60 && pipe(ends) == 0 && ends[1] < 60);
    std::FILE* const stream = std::fopen("/dev/null", "r");
    PLUMB_ASSERT(stream != nullptr && fileno(stream) < 60);
    explore_some();
  });
}

PLUMB_TEST(descriptors_from_before_are_open) {
  test.run([] {
    PLUMB_ASSERT(fcntl(early_file, F_GETFD) >= 0);
    explore_some();
    close(early_file);
  });
}

PLUMB_TEST(places_in_files) {
  test.run([] {
    char text[3] = {};
    PLUMB_ASSERT(read(early_file, text, 2) == 2 && text[0] == 'h');
    explore_some();
  });
}

PLUMB_TEST(folder_mask_and_limits) {
  test.run([] {
    char folder[4096];
    rlimit limit;
    PLUMB_ASSERT(getcwd(folder, sizeof(folder)) != nullptr);
    PLUMB_ASSERT(std::strcmp(folder, "/") != 0 && umask(0123) != 0123);
    getrlimit(RLIMIT_CORE, &limit);
    PLUMB_ASSERT(limit.rlim_cur != 4096);
    limit.rlim_cur = 4096;
    PLUMB_ASSERT(chdir("/") == 0);
    setrlimit(RLIMIT_CORE, &limit);
    explore_some();
  });
}

PLUMB_TEST(signals) {
  test.run([] {
    struct sigaction action = {};
    sigaction(SIGUSR1, nullptr, &action);
    PLUMB_ASSERT(action.sa_handler == SIG_DFL);
    std::signal(SIGUSR1, SIG_IGN);
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    PLUMB_ASSERT(!sigismember(&mask, SIGUSR2));
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &mask, nullptr);
    explore_some();
  });
}

PLUMB_TEST(the_environment) {
  test.run([] {
    PLUMB_ASSERT(getenv("PATH") && !getenv("PLUMB_LEFT") && environ[0]);
    setenv("PLUMB_LEFT", "1", 1);
    unsetenv("PATH");
    explore_some();
    environ[0] = nullptr;
  });
}

PLUMB_TEST(locales) {
  test.run([] {
    PLUMB_ASSERT(std::strcmp(setlocale(LC_ALL, nullptr), "C") == 0);
    PLUMB_ASSERT(std::locale().name() == "C");
    setlocale(LC_ALL, "C.UTF-8");
    std::locale::global(std::locale("C.UTF-8"));
    explore_some();
  });
}

PLUMB_TEST(handlers_of_the_library) {
  test.run([] {
    PLUMB_ASSERT(std::get_new_handler() == nullptr);
    PLUMB_ASSERT(std::pmr::get_default_resource() !=
                 std::pmr::null_memory_resource());
    std::set_new_handler([] {});
    std::pmr::set_default_resource(std::pmr::null_memory_resource());
    explore_some();
  });
}

// What the C library keeps for itself is there in the next execution, too.
PLUMB_TEST(what_the_c_library_keeps) {
  test.run([] {
    setenv("TZ", "UTC-3", 1);
    tzset();
    std::atexit([] {});
    char* text = nullptr;
    std::size_t length = 0;
    std::FILE* const stream = open_memstream(&text, &length);
    std::fclose(stream);
    std::free(text);
    char* const path = realpath("/", nullptr);
    PLUMB_ASSERT(std::strcmp(path, "/") == 0);
    std::free(path);
    explore_some();
  });
}

// --- where loops are cut, what is beside memory counts

#define GIVES_UP_AFTER_THREE(name, round)          \
  PLUMB_TEST(name) {                               \
    test.expect("assertion").run([] {              \
      std::atomic<bool> stop = false;              \
      bool gave_up = false;                        \
      std::thread other([&] { stop = true; });     \
      while (!stop && !gave_up) gave_up = round(); \
      other.join();                                \
      PLUMB_ASSERT(!gave_up);                      \
    });                                            \
  }

GIVES_UP_AFTER_THREE(rounding_counts, [] {
  const int mode = std::fegetround();
  if (mode == FE_DOWNWARD) return true;
  std::fesetround(mode == FE_TONEAREST ? FE_UPWARD : FE_DOWNWARD);
  return false;
})
GIVES_UP_AFTER_THREE(places_in_files_count,
                     [] { return lseek(early_file, 1, SEEK_CUR) == 3; })
GIVES_UP_AFTER_THREE(descriptors_count, [] {
  static int first = -1;
  const int file = dup(0);
  if (first < 0) first = file;
  return file == first + 2;
})

// --- what libraries keep in data of their own: in each execution, and in the
// first alone, where it would hide a fault

namespace {

// Fails in some executions if what `is_fresh` returns is true in all of them.
template <typename Fresh>
void fails_if(Fresh is_fresh) {
  std::atomic<int> first = 0, second = 0;
  const bool was_fresh = is_fresh();
  std::thread other([&] {
    first = 1;
    second = 1;
  });
  const int late = second.load(), early = first.load();
  other.join();
  PLUMB_ASSERT(!(was_fresh && late == 1 && early == 1));
}

bool change_time_zone() {
  const time_t epoch = 0;
  tm parts = {};
  localtime_r(&epoch, &parts);
  setenv("TZ", "JST-9", 1);
  tzset();
  return parts.tm_hour == 0;
}
bool change_numbers_of_words() {
  static const int first = std::ios_base::xalloc();
  return std::ios_base::xalloc() == first + 1;
}
bool change_streams() {
  return std::ios_base::sync_with_stdio(false);
}
bool change_flags() {
  const int old = fcntl(0, F_GETFL);
  fcntl(0, F_SETFL, old | O_APPEND);
  return (old & O_APPEND) == 0;
}
bool raise_exceptions() {
  const bool was_raised = fetestexcept(FE_ALL_EXCEPT) != 0;
  feraiseexcept(FE_DIVBYZERO | FE_OVERFLOW);
  return !was_raised;
}

template <typename Change>
void is_put_back(plumb::Test& test, Change change) {
  test.run([=] {
    PLUMB_ASSERT(change());
    explore_some();
  });
}
template <typename Change>
void hides_nothing(plumb::Test& test, Change change) {
  test.expect("assertion").run([=] { fails_if(change); });
}

}  // namespace

PLUMB_TEST(the_time_zone_is_put_back) {
  is_put_back(test, change_time_zone);
}
PLUMB_TEST(the_time_zone_hides_nothing) {
  hides_nothing(test, change_time_zone);
}
PLUMB_TEST(words_of_streams_are_put_back) {
  is_put_back(test, change_numbers_of_words);
}
PLUMB_TEST(words_of_streams_hide_nothing) {
  hides_nothing(test, change_numbers_of_words);
}
PLUMB_TEST(buffers_of_streams_are_put_back) {
  is_put_back(test, change_streams);
}
PLUMB_TEST(buffers_of_streams_hide_nothing) {
  hides_nothing(test, change_streams);
}
PLUMB_TEST(flags_of_descriptors_are_put_back) {
  is_put_back(test, change_flags);
}
PLUMB_TEST(flags_of_descriptors_hide_nothing) {
  hides_nothing(test, change_flags);
}
PLUMB_TEST(floating_point_exceptions_are_put_back) {
  is_put_back(test, raise_exceptions);
}
PLUMB_TEST(floating_point_exceptions_hide_nothing) {
  hides_nothing(test, raise_exceptions);
}
PLUMB_TEST(floating_point_exceptions_are_each_thread_s_own) {
  test.run([] {
    std::atomic<int> step = 0;
    std::thread other([&] {
      feraiseexcept(FE_OVERFLOW);
      step = 1;
      feclearexcept(FE_ALL_EXCEPT);
    });
    feclearexcept(FE_ALL_EXCEPT);
    step = 2;
    PLUMB_ASSERT(!fetestexcept(FE_OVERFLOW));
    feraiseexcept(FE_OVERFLOW);
    step = 3;
    PLUMB_ASSERT(fetestexcept(FE_OVERFLOW));
    other.join();
  });
}

// Data of a library, which code in headers writes (with clang, in its place).
PLUMB_TEST(how_streams_print) {
  test.run([] {
    PLUMB_ASSERT(std::cout.width() == 0 && std::cerr.precision() == 6);
    PLUMB_ASSERT(!(std::cout.flags() & std::ios::hex));
    std::cout.width(5);
    std::cerr.precision(3);
    std::cout.setf(std::ios::hex);
    explore_some();
  });
}
