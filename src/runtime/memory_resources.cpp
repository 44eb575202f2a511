// SPDX-License-Identifier: Apache-2.0
// std::pmr::new_delete_resource(): the memory behind most others.
//
// The code of pools lies in the C++ library, which would seem to allocate for
// itself what it allocates for those who use a pool.  This one is ours: such
// memory is the test's.
#include <memory_resource>
#include <new>

#include "runtime/reals.h"

namespace plumb::runtime {
namespace {

class NewDelete final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = ::operator new(bytes, std::align_val_t(alignment));
    asm volatile("" : : : "memory");  // called from here, and not from there
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes,
                     std::size_t alignment) override {
#ifdef __cpp_sized_deallocation
    ::operator delete(block, bytes, std::align_val_t(alignment));
#else
    static_cast<void>(bytes);
    ::operator delete(block, std::align_val_t(alignment));
#endif
    asm volatile("" : : : "memory");
  }
  bool do_is_equal(const memory_resource& other) const noexcept override {
    return &other == this;
  }
};

// Never destroyed: static objects may outlive it.
std::pmr::memory_resource* ours() {
  alignas(NewDelete) static unsigned char place[sizeof(NewDelete)];
  static std::pmr::memory_resource* const made = new (place) NewDelete;
  return made;
}

using Resource = std::pmr::memory_resource;
constinit Real<Resource*()> real_new_delete{"_ZNSt3pmr19new_delete_resourceEv"};
constinit Real<Resource*()> real_default{"_ZNSt3pmr20get_default_resourceEv"};

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

extern "C" {

std::pmr::memory_resource* stand_in_new_delete() asm(
    "_ZNSt3pmr19new_delete_resourceEv");
std::pmr::memory_resource* stand_in_default() asm(
    "_ZNSt3pmr20get_default_resourceEv");

std::pmr::memory_resource* stand_in_new_delete() {
  return ours();
}

std::pmr::memory_resource* stand_in_default() {
  std::pmr::memory_resource* const now = real_default();
  return now == real_new_delete() ? ours() : now;
}
}
