/* SPDX-License-Identifier: Apache-2.0 */
/* The Michael-Scott queue of ms_queue.plumb, step for step; clients make a
   bounded number of calls.  Cells are taken from an array one after the other
   and never given back.  Locals are 0 where nobody reads them again. */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef OPERATIONS
#define OPERATIONS 2
#endif
#define CELLS (PROCESSES * OPERATIONS + 2)

/* Cell 0 is null, cell 1 the first dummy. */
byte val[CELLS];
byte nxt[CELLS];
byte head = 1, tail = 1, used = 2;

active [PROCESSES] proctype client() {
  byte calls = 0, n = 0, t = 0, x = 0, v = 0;
end:
  if
  :: d_step { calls < OPERATIONS; calls++; n = used; used++; val[n] = 1; };
     goto enqueue
  :: d_step { calls < OPERATIONS; calls++; n = used; used++; val[n] = 2; };
     goto enqueue
  :: d_step { calls < OPERATIONS; calls++; };
     goto dequeue
  fi;

enqueue:
  do
  :: t = tail;
     x = nxt[t];
     if
     :: d_step { t != tail; t = 0; x = 0; }
     :: d_step { t == tail && x == 0; };
        if
        :: d_step { nxt[t] == 0; nxt[t] = n; }; break
        :: d_step { nxt[t] != 0; t = 0; }
        fi
     :: d_step { t == tail && x != 0; };
        d_step { if :: tail == t -> tail = x :: else fi; t = 0; x = 0; }
     fi
  od;
  if
  :: d_step { tail == t; tail = n; t = 0; n = 0; }
  :: d_step { tail != t; t = 0; n = 0; }
  fi;
  true; /* return */
  goto end;

dequeue:
  do
  :: n = head;
     t = tail;
     x = nxt[n];
     if
     :: d_step { n != head; n = 0; t = 0; x = 0; }
     :: d_step { n == head && n == t && x == 0; n = 0; t = 0; }; break
     :: d_step { n == head && n == t && x != 0; n = 0; };
        d_step { if :: tail == t -> tail = x :: else fi; t = 0; x = 0; }
     :: d_step { n == head && n != t; t = 0; };
        v = val[x];
        if
        :: d_step { head == n; head = x; n = 0; x = 0; }; break
        :: d_step { head != n; n = 0; x = 0; v = 0; }
        fi
     fi
  od;
  v = 0; /* return */
  goto end
}
