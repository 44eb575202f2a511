// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that read and write memory: each is an access.
#include <plumb/test.h>

#include <fcntl.h>
#include <poll.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <mutex>
#include <string>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

// What the functions below are called with.
struct Memory {
  char text[64] = "12 words";
  char more[64] = "12 words";
  wchar_t wide[16] = L"12 words";
  wchar_t wider[32] = L"12 words";
  timespec moment = {1, 1};
  tm date = {};
  time_t seconds = 0;
  int number = 0;
};

// Keeps results alive, whatever they are.
template <typename T>
void use(T value) {
  T volatile kept = value;
  static_cast<void>(kept);
}

int order(const void* a, const void* b) {
  return *static_cast<const char*>(a) - *static_cast<const char*>(b);
}

}  // namespace

// `call` touches what `other` touches, and nothing orders them; under a lock
// all is well, and after a free of the memory it is not.
#define CONFLICT(name, other, call)               \
  PLUMB_TEST(name##_races) {                      \
    test.expect("race").run([] {                  \
      auto* m = new Memory;                       \
      in_parallel([=] { other; }, [=] { call; }); \
      delete m;                                   \
    });                                           \
  }                                               \
  PLUMB_TEST(name##_with_a_lock) {                \
    test.run([] {                                 \
      auto* m = new Memory;                       \
      std::mutex mutex;                           \
      in_parallel(                                \
          [&] {                                   \
            const std::lock_guard lock(mutex);    \
            other;                                \
          },                                      \
          [&] {                                   \
            const std::lock_guard lock(mutex);    \
            call;                                 \
          });                                     \
      delete m;                                   \
    });                                           \
  }                                               \
  PLUMB_TEST(name##_after_a_free) {               \
    test.expect("use-after-free").run([] {        \
      auto* volatile kept = new Memory;           \
      delete kept;                                \
      Memory* m = kept;                           \
      call;                                       \
    });                                           \
  }
// It reads the text; it writes what is there besides.
#define READS(name, call) CONFLICT(name, m->text[1] = '3', call)
#define WRITES(name, call) CONFLICT(name, use(m->more[1]), call)
#define READS_WIDE(name, call) CONFLICT(name, m->wide[1] = L'3', call)
#define WRITES_WIDE(name, call) CONFLICT(name, use(m->wider[1]), call)

READS(strlen, use(strlen(m->text)))
READS(strnlen, use(strnlen(m->text, 5)))
READS(strcmp, use(strcmp(m->text, "12x")))
READS(strncmp, use(strncmp(m->text, "12x", 2)))
READS(strcasecmp, use(strcasecmp("12X", m->text)))
READS(strchr, use(strchr(m->text, 'w')))
READS(strrchr, use(strrchr(m->text, 'w')))
READS(strstr, use(strstr(m->text, "wor")))
READS(strpbrk, use(strpbrk(m->text, "w")))
READS(strspn, use(strspn(m->text, "012")))
READS(strcspn, use(strcspn(m->text, "s")))
READS(memcmp, use(memcmp(m->text, m->more, 8)))
READS(memchr, use(memchr(m->text, 'w', 8)))
READS(memrchr, use(memrchr(m->text, '1', 8)))
READS(memmem, use(memmem(m->text, 8, "wo", 2)))
READS(memcpy, char to[8]; memcpy(to, m->text, 8); use(to[0]))
READS(strcpy, char to[64]; strcpy(to, m->text); use(to[0]))
READS(strdup, free(strdup(m->text)))
READS(strtol, use(strtol(m->text, nullptr, 10)))
READS(strtod, use(strtod(m->text, nullptr)))
READS(atoi, use(atoi(m->text)))
READS(snprintf, char to[64]; snprintf(to, 64, "%d%.3s", 1, m->text); use(to[0]))
READS(sscanf, int n = 0; use(sscanf(m->text, "%d", &n)))
READS(fputs, static FILE* const null = fopen("/dev/null", "w");
      fputs(m->text, null))
READS(fprintf, static FILE* const null = fopen("/dev/null", "w");
      fprintf(null, "%5.1f %*s %s\n", 1.0, 3, "x", m->text))
READS(write, use(write(-1, m->text, 8)))
READS(open, use(open(m->text, O_RDONLY)))
READS(std_string, use(std::string(m->text).size()))

WRITES(memcpy_to, memcpy(m->more, m->text, 8))
WRITES(memmove_to, memmove(m->more, m->more + 1, 8))
WRITES(mempcpy_to, mempcpy(m->more, m->text, 8))
WRITES(memset_to, memset(m->more, 0, 8))
WRITES(bzero_to, bzero(m->more, 8))
WRITES(strcpy_to, strcpy(m->more, "hello"))
WRITES(strncpy_to, strncpy(m->more, "h", 8))
WRITES(stpcpy_to, stpcpy(m->more, "hello"))
WRITES(strcat_to, m->more[0] = 0; strcat(m->more, "hello"))
WRITES(strncat_to, m->more[0] = 0; strncat(m->more, "hello", 3))
WRITES(sprintf_to, sprintf(m->more, "%d", 12345))
WRITES(snprintf_to, snprintf(m->more, sizeof(m->more), "%s", "words"))
WRITES(sscanf_to, use(sscanf("word", "%s", m->more)))
WRITES(fgets_to, FILE* const file = fopen("/proc/self/comm", "r");
       use(fgets(m->more, 20, file)); fclose(file))
WRITES(read_to, const int file = open("/proc/self/comm", O_RDONLY);
       use(read(file, m->more, 5)); close(file))
WRITES(readv_to, const int file = open("/proc/self/comm", O_RDONLY);
       iovec piece; piece.iov_base = m->more; piece.iov_len = 5;
       use(readv(file, &piece, 1)); close(file))
WRITES(getcwd_to, use(getcwd(m->more, 60)))
WRITES(qsort_to, qsort(m->more, 8, 1, order))
WRITES(strftime_to, const tm date = {};
       use(strftime(m->more, 60, "%Y-%m", &date)))
WRITES(strtok_to, char* rest = nullptr; m->more[1] = ' ';
       use(strtok_r(m->more, " ", &rest)))

READS_WIDE(wcslen, use(wcslen(m->wide)))
READS_WIDE(wcscmp, use(wcscmp(m->wide, m->wider)))
WRITES_WIDE(wcscpy, wcscpy(m->wider, m->wide))
WRITES_WIDE(wmemset, wmemset(m->wider, L'x', 4))

CONFLICT(gmtime_r_to, use(m->date.tm_year), gmtime_r(&m->seconds, &m->date))
CONFLICT(mktime_to, use(m->date.tm_year), use(mktime(&m->date)))
CONFLICT(clock_gettime_to, use(m->moment.tv_nsec),
         clock_gettime(CLOCK_REALTIME, &m->moment))
CONFLICT(time_to, use(m->seconds), time(&m->seconds))
CONFLICT(nanosleep_of, m->moment.tv_sec = 0, nanosleep(&m->moment, nullptr))
CONFLICT(sscanf_number, use(m->number), use(sscanf("7", "%d", &m->number)))
CONFLICT(printf_n, use(m->number), char to[9];
         snprintf(to, 9, "ab%n", &m->number))

// Neighbours are left alone: just so many bytes are touched.
PLUMB_TEST(only_what_is_compared_is_read) {
  test.run([] {
    auto* m = new Memory;
    in_parallel([=] { m->text[3] = 'x'; },
                [=] {
                  use(strcmp(m->text, "13"));
                  use(strncmp(m->text, m->more, 3));
                  use(strchr(m->text, '2'));
                  use(strtol("7", nullptr, 10));
                  char to[8];
                  snprintf(to, sizeof(to), "%.3s", m->text);
                });
    delete m;
  });
}

PLUMB_TEST(only_what_is_scanned_is_written) {
  test.run([] {
    int first = 0, second = 0;
    in_parallel([&] { second = 1; },
                [&] { use(sscanf("7 x", "%d %d", &first, &second)); });
    PLUMB_ASSERT(first == 7 && second == 1);
  });
}

PLUMB_TEST(a_text_without_an_end) {
  test.expect("overflow").run([] {
    auto* text = static_cast<char*>(malloc(4));
    memcpy(text, "abcd", 4);
    use(strlen(text));
    free(text);
  });
}

PLUMB_TEST(a_copy_that_is_too_long) {
  test.expect("overflow").run([] {
    auto* text = static_cast<char*>(malloc(4));
    strcpy(text, "abcd");
    free(text);
  });
}

PLUMB_TEST(seeds_are_written) {
  test.expect("race").run([] {
    unsigned seed = 1;
    in_parallel([&] { use(rand_r(&seed)); }, [&] { seed = 2; });
  });
}

PLUMB_TEST(seeds_of_several_numbers_are_written) {
  test.expect("race").run([] {
    unsigned short seed[3] = {1, 2, 3};
    in_parallel([&] { use(nrand48(seed)); }, [&] { seed[2] = 2; });
  });
}

PLUMB_TEST(a_stream_in_memory_tells_its_length) {
  test.expect("race").run([] {
    char* text = nullptr;
    std::size_t length = 0;
    std::FILE* stream = open_memstream(&text, &length);
    in_parallel(
        [&] {
          std::fputs("text", stream);
          std::fflush(stream);
        },
        [&] { use(length); });
    std::fclose(stream);
    free(text);
  });
}

PLUMB_TEST(streams_in_memory_of_ones_own) {
  test.run([] {
    const auto print = [] {
      char* text = nullptr;
      std::size_t length = 0;
      std::FILE* stream = open_memstream(&text, &length);
      std::fprintf(stream, "%d", 17);
      std::fclose(stream);
      PLUMB_ASSERT(length == 2 && text[0] == '1');
      free(text);
    };
    in_parallel(print, print);
  });
}

PLUMB_TEST(a_stream_writes_to_an_array) {
  test.expect("race").run([] {
    char out[64] = {};
    std::FILE* stream = fmemopen(out, sizeof(out), "w");
    in_parallel(
        [&] {
          std::fputs("text", stream);
          std::fflush(stream);
        },
        [&] { out[1] = 'x'; });
    std::fclose(stream);
  });
}

PLUMB_TEST(strtok_has_one_place_for_all) {
  test.expect("race").run([] {
    char first[] = "a b", second[] = "c d";
    in_parallel([&] { use(strtok(first, " ")); },
                [&] { use(strtok(second, " ")); });
  });
}

PLUMB_TEST(the_environment_is_shared) {
  test.expect("race").run([] {
    in_parallel([] { setenv("PLUMB_TEST_NAME", "1", 1); },
                [] { use(getenv("PLUMB_TEST_NAME")); });
  });
}

// Where races are allowed, a call is one event: nobody sees half of it.
PLUMB_TEST(a_copy_is_one_event) {
  test.set("races", "allow");
  test.run([] {
    char from[16] = "aaaaaaaaaaaaaaa", to[16] = "";
    in_parallel([&] { memset(from, 'b', 15); }, [&] { memcpy(to, from, 16); });
    PLUMB_ASSERT(to[0] == to[14]);
  });
}

PLUMB_TEST(a_text_grows_before_it_is_copied) {
  test.set("races", "allow");
  test.expect("assertion").run([] {
    char from[16] = "a", to[16] = "";
    in_parallel([&] { strcpy(from, "abcdef"); }, [&] { strcpy(to, from); });
    PLUMB_ASSERT(strlen(to) == 1);
  });
}

// While a thread sorts, another one changes what is sorted.
PLUMB_TEST(what_is_sorted_is_written_at_the_end) {
  test.set("races", "allow");
  test.expect("assertion").run([] {
    char letters[4] = "cba";
    in_parallel([&] { letters[0] = 'x'; },
                [&] { qsort(letters, 3, 1, order); });
    PLUMB_ASSERT(letters[0] != 'a');
  });
}

// A loop that looks at a text: each look is part of what it saw.
PLUMB_TEST(a_loop_that_reads_a_text) {
  test.expect("assertion").run([] {
    char name[8] = "a";
    std::mutex mutex;
    std::atomic<int> flag = 0;
    bool gave_up = false;
    in_parallel(
        [&] {
          {
            const std::lock_guard lock(mutex);
            strcpy(name, "b");
          }
          flag.store(1);
        },
        [&] {
          bool is_impatient = false;
          {
            const std::lock_guard lock(mutex);
            is_impatient = strcmp(name, "b") == 0;
          }
          for (int tries = 0; !flag.load();) {
            if (is_impatient && ++tries == 3) {
              gave_up = true;
              break;
            }
          }
        });
    PLUMB_ASSERT(!gave_up);
  });
}
