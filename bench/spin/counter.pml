/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded counter of counter.plumb, step for step: an invocation, a read,
   a cas, a return.  `r` is what was read or is returned; it is 0 where nobody
   reads it again, so that it does not split states. */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#define BOUND 4

byte h = 0;

active [PROCESSES] proctype client() {
  byte r = 0;
  do
  :: true; /* invoke push */
     do
     :: r = h;
        if
        :: d_step { h == r && r < BOUND; h = r + 1; r = r + 1; }; break
        :: d_step { h == r && r == BOUND; }; break
        :: d_step { h != r; r = 0; }
        fi
     od;
     r = 0 /* return */
  :: true; /* invoke pop */
     do
     :: r = h;
        if
        :: d_step { h == r && r > 0; h = r - 1; r = 0; }; break
        :: d_step { h == r && r == 0; }; break
        :: d_step { h != r; r = 0; }
        fi
     od;
     r = 0 /* return */
  od
}
