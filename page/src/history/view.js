// SPDX-License-Identifier: Apache-2.0
// The history view: lanes of bars, the order through them, and the reasons.
import { el, replace } from '../dom.js';
import { format, note } from '../route.js';
import { steps_of } from '../steps/data.js';
import { count, counted } from '../text.js';
import { Chart } from './chart.js';
import { history_of } from './data.js';
import { card, spoken } from './describe.js';
import { filters } from './filters.js';
import { chart_keys } from './keys.js';
import { moves_section } from './moves.js';
import { Overview } from './overview.js';
import { rows } from './rows.js';
import { toolbar } from './toolbar.js';
import { legend, reasons } from './words.js';

const FEW = 40; // operations that need no overview

class HistoryView {
  constructor(run, result, place) {
    this.run = run;
    this.result = result;
    this.history = history_of(result);
    this.visit = this.visit.bind(this);
    this.build(place);
    this.chart = new Chart(this.holder, this.history, {
      changed: () => this.table?.update(),
      hovered: (op, x, y) => this.show_tip(op, x, y),
      selected: (op) => this.select(op),
      painted: (chart) => this.painted(chart),
    });
    if (this.history.size > FEW) {
      this.overview = new Overview(this.holder, this.chart);
    }
    this.holder.append(this.tip);
    this.table = rows(this.chart, this.visit);
    place.append(this.table.node);
    this.key = chart_keys(this.chart, this.actions, {
      select: this.visit,
      search: this.chooser.focus,
      holder: this.holder,
    });
  }

  build(place) {
    const { history } = this;
    const size = counted(history.size, 'operation');
    const lanes = counted(history.processes.length, 'process');
    this.holder = el('div', {
      class: 'chart-box',
      tabindex: '0',
      role: 'application',
      'aria-roledescription': 'history chart',
      'aria-label':
        `History of ${size} of ${lanes}. Arrow keys go from operation ` +
        'to operation, plus and minus zoom, C goes to the culprit; a table follows below.',
    });
    this.panel = el('aside', {
      class: 'panel',
      'aria-label': 'The chosen operation',
    });
    this.voice = el('p', {
      class: 'unseen',
      role: 'status',
      'aria-live': 'polite',
    });
    this.hint = el('p', { class: 'hint' });
    this.tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
    this.chooser = this.make_filters();
    this.actions = this.make_actions();
    const parts = [
      el(
        'div',
        { class: 'controls' },
        toolbar(history, this.actions),
        this.chooser.node,
      ),
      this.holder,
      this.hint,
      legend(history),
      moves_section(history),
      el('div', { class: 'below' }, reasons(history, this.visit), this.panel),
      this.voice,
    ];
    place.append(...parts.filter(Boolean));
  }

  make_filters() {
    return filters(this.history, {
      filtered: (shown) => this.chart.set_shown(shown),
      found: (found) => {
        this.chart.found = found;
        this.chart.moved();
      },
      visit: this.visit,
    });
  }

  make_actions() {
    const { history } = this;
    const zoom = (factor) => this.chart.zoom(factor);
    const pan = (share) => this.chart.pan(this.chart.width * share, 0);
    const accused = (op) =>
      history.is_culprit.has(op) || history.obstacles.has(op);
    return {
      culprit: () => this.visit(history.culprit(), true),
      in: () => zoom(0.6),
      out: () => zoom(1 / 0.6),
      left: () => pan(0.3),
      right: () => pan(-0.3),
      all: () => {
        this.chart.window.all();
        this.chart.moved();
      },
      order: ({ target }) => {
        this.chart.show_order = target.checked;
        this.chart.redraw();
      },
      only: ({ target }) => {
        this.chart.set_shown(target.checked ? accused : () => true);
        this.actions[target.checked ? 'all' : 'culprit']();
      },
      axis: ({ target }) =>
        this.chart.set_axis(
          target.checked ? history.by_time : history.by_order,
        ),
    };
  }

  /** Goes to an operation, even if it is filtered out. */
  visit(op, closely = false) {
    this.chooser.allow(op);
    this.select(op);
    this.chart.reveal(op, closely === true);
  }

  painted(chart) {
    this.overview?.paint();
    this.hint.textContent = chart.order_hidden
      ? 'Zoom in to see the order.'
      : '';
  }

  select(op) {
    const here = { result: this.result.index + 1, view: 'history' };
    this.chart.selected = op;
    this.panel.hidden = op === null;
    this.chart.redraw();
    if (op === null) {
      note(here);
      return;
    }
    replace(this.panel, card(this.history, op), this.step_link(op));
    this.voice.textContent = spoken(this.history, op);
    note({ ...here, op: op + 1 });
    this.table?.update();
  }

  /** From an operation to the step of the run at which it was called. */
  step_link(op) {
    const { history } = this;
    const run = steps_of(this.run, this.result);
    if (!run) return null;
    const step = history.step_lines
      ? history.line[op]
      : run.call_steps[history.columns.invoked?.[op]];
    if (!Number.isFinite(step)) return null;
    const href = format({ result: this.result.index + 1, view: 'steps', step });
    return el(
      'p',
      { class: 'mark' },
      el('a', { href }, `Called at step ${count(step)}`),
    );
  }

  show_tip(op, x, y) {
    const { tip, chart } = this;
    tip.hidden = op === null;
    if (op === null) return;
    replace(tip, card(this.history, op));
    const left = Math.min(x + 14, chart.width - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${y + chart.canvas.offsetTop + 18}px`;
  }

  /** Shows what the address asks for, or the culprit, or the beginning. */
  open(route) {
    const { chart, history } = this;
    const known = route.op >= 1 && route.op <= history.size;
    const first = known
      ? route.op - 1
      : history.holds
        ? null
        : history.culprit();
    this.select(first);
    const { least, most } = chart.window;
    if (most - least <= chart.natural_span * 1.5) return;
    if (first !== null) {
      chart.reveal(first, true);
    } else {
      chart.window.show(least, least + chart.natural_span);
      chart.moved();
    }
  }

  update(route) {
    if (route.op !== undefined && route.op - 1 !== this.chart.selected)
      this.open(route);
  }

  close() {
    this.chart.close();
    this.overview?.close();
  }
}

export function history_view(run, result, route, place) {
  const view = new HistoryView(run, result, place);
  view.open(route);
  return view;
}
