// SPDX-License-Identifier: Apache-2.0
// The main() of programs that only have tests.
#include "harness/session.h"

extern "C" __attribute__((visibility("default"))) int main(int argc,
                                                           char** argv) {
  return plumb::harness::run_registered(argc, argv);
}
