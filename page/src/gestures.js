// SPDX-License-Identifier: Apache-2.0
// Dragging, pinching and wheels, as moves and zooms of whatever is drawn.

/**
 * handlers: move(dx, dy), zoom(factor, x, y) -> did it change anything?,
 * hover(x, y) or hover(null), press(x, y); all in pixels of the element.
 * Returns how to stop.
 */
export function gestures(element, handlers) {
  const pointers = new Map();
  let travelled = 0;
  const stop = new AbortController();
  const on = (name, handler, options) =>
    element.addEventListener(name, handler, {
      signal: stop.signal,
      ...options,
    });
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  on('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) travelled = 0;
  });

  on('pointermove', (event) => {
    const now = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      handlers.hover?.(now.x, now.y);
      return;
    }
    travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (pointers.size === 2) pinch(event.pointerId, before, now);
    else if (travelled > 3) handlers.move(now.x - before.x, now.y - before.y);
    pointers.set(event.pointerId, now);
  });

  function pinch(id, before, now) {
    const other = [...pointers].find(([key]) => key !== id)[1];
    const distance = (p) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
    handlers.zoom(
      distance(before) / distance(now),
      (now.x + other.x) / 2,
      (now.y + other.y) / 2,
    );
    handlers.move((now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  function release(event) {
    if (!pointers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && travelled <= 3) {
      const { x, y } = place(event);
      handlers.press?.(x, y);
    }
  }
  on('pointerup', release);
  on('pointercancel', release);
  on('pointerleave', () => handlers.hover?.(null));

  on(
    'wheel',
    (event) => {
      const unit = event.deltaMode === 1 ? 16 : 1;
      const { x, y } = place(event);
      const sideways = event.shiftKey
        ? event.deltaY || event.deltaX
        : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        handlers.move(-sideways * unit, 0);
        event.preventDefault();
      } else if (handlers.zoom(Math.exp(event.deltaY * unit * 0.0016), x, y)) {
        event.preventDefault();
      }
    },
    { passive: false },
  );

  return () => stop.abort();
}
