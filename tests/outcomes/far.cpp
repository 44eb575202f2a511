// SPDX-License-Identifier: Apache-2.0
// What random programs call that is compiled without instrumentation: no
// access here is announced.
int far_read(const int* at) {
  return *at;
}
void far_write(int* at, int number) {
  *at = number;
}
int far_bump(int* at) {
  return ++*at;
}
int far_count(int which) {
  static int counts[64];
  return ++counts[which];
}
void far_call_back(void (*function)(void*), void* argument) {
  function(argument);
}
