// SPDX-License-Identifier: Apache-2.0
// The frame of the page: which view is shown, and how the reader gets there.
import { append, el, replace } from './dom.js';
import { execution_view, has_execution } from './execution/view.js';
import { graph_view, has_graph } from './graph/view.js';
import { history_of } from './history/data.js';
import { history_view } from './history/view.js';
import { papers_view } from './papers/view.js';
import { current, format } from './route.js';
import { steps_of } from './steps/data.js';
import { steps_view } from './steps/view.js';
import { details_view } from './summary/details.js';
import { result_head } from './summary/head.js';
import { summary_view } from './summary/view.js';
import { counted } from './text.js';
import { theme_button } from './theme.js';

const VIEWS = {
  steps: { label: 'Interleaving', make: steps_view },
  history: { label: 'History', make: history_view },
  execution: { label: 'Execution graph', make: execution_view },
  graph: { label: 'State graph', make: graph_view },
  details: { label: 'Details', make: details_view },
};

/** The views that have something to show of a result, the best one first. */
function views_of(run, result) {
  const found = [];
  if (steps_of(run, result)) found.push('steps');
  if (history_of(result)) found.push('history');
  if (has_execution(run, result)) found.push('execution');
  if (has_graph(result)) found.push('graph');
  found.push('details');
  return found;
}

/** What a fragment means in this run: everything it leaves open is filled. */
function resolve(run, route) {
  if (run.level === 'papers' || run.results.length === 0)
    return { view: 'summary' };
  const asks_for_none =
    route.result === undefined &&
    route.view === undefined &&
    route.step === undefined &&
    route.op === undefined;
  if (route.view === 'summary' || (asks_for_none && run.results.length + run.errors.length > 1)) {
    return { view: 'summary' };
  }
  let result = run.results[(route.result ?? 0) - 1];
  const wanted =
    route.view ??
    (route.step !== undefined
      ? 'steps'
      : route.op !== undefined
        ? 'history'
        : undefined);
  result ??=
    run.results.find((r) => views_of(run, r).includes(wanted)) ??
    run.results[0];
  const views = views_of(run, result);
  return {
    ...route,
    result: result.index + 1,
    view: views.includes(wanted) ? wanted : views[0],
  };
}

function tabs(run, result, shown) {
  const links = views_of(run, result).map((view) =>
    el(
      'a',
      {
        href: format({ result: result.index + 1, view }),
        'aria-current': view === shown ? 'page' : undefined,
      },
      VIEWS[view].label,
    ),
  );
  return el(
    'nav',
    { class: 'tabs', 'aria-label': 'Views of this check' },
    links,
  );
}

// Which check is shown, and the ones before and after it.
function trail(run, result) {
  if (run.results.length + run.errors.length < 2) return null;
  const to = (index, label, title) => {
    const known = run.results[index];
    return known
      ? el('a', { href: format({ result: index + 1 }), title }, label)
      : el('span', { class: 'off', 'aria-hidden': 'true' }, label);
  };
  return el(
    'nav',
    { class: 'trail', 'aria-label': 'Checks' },
    el(
      'a',
      { href: '#view=summary' },
      run.results.length > 1 ? `All ${run.results.length} checks` : 'Summary',
      run.errors.length ? ` and ${counted(run.errors.length, 'error')}` : '',
    ),
    el(
      'span',
      { class: 'pager' },
      to(result.index - 1, '‹ previous', 'The check before'),
      el('span', null, `${result.index + 1} of ${run.results.length}`),
      to(result.index + 1, 'next ›', 'The check after'),
    ),
  );
}

function top_bar(run) {
  return el(
    'header',
    { class: 'top' },
    el(
      'a',
      { class: 'brand', href: '#view=summary' },
      el('span', { class: 'bob', 'aria-hidden': 'true' }),
      'Plumbline',
    ),
    el(
      'span',
      { class: 'command', title: 'The command' },
      run.command.join(' '),
    ),
    theme_button(),
  );
}

export function start_app(root, run) {
  const main = el('main', { class: 'page', id: 'main', tabindex: '-1' });
  replace(
    root,
    el(
      'a',
      {
        class: 'skip',
        href: '#main',
        onclick: (event) => {
          event.preventDefault();
          main.focus();
        },
      },
      'Skip to the content',
    ),
    top_bar(run),
    main,
  );
  let shown = null; // {key, view}: what is on the screen

  function show() {
    const route = resolve(run, current());
    const key = `${route.view} ${route.result ?? ''}`;
    if (shown?.key === key) {
      shown.view.update?.(route);
      return;
    }
    shown?.view.close?.();
    main.replaceChildren();
    shown = { key, view: open(route) };
    window.scrollTo(0, 0);
  }

  function open(route) {
    if (route.view === 'summary') {
      const view =
        run.level === 'papers' ? papers_view(run) : summary_view(run);
      document.title = 'Plumbline report';
      append(main, view.node);
      return view;
    }
    const result = run.results[route.result - 1];
    document.title = `${result.verdict}: ${result.title} - Plumbline`;
    append(
      main,
      trail(run, result),
      result_head(run, result),
      tabs(run, result, route.view),
    );
    const place = append(
      main,
      el('section', {
        class: `view ${route.view}`,
        'aria-label': VIEWS[route.view].label,
      }),
    ).lastChild;
    // In the page before it is filled, since canvases ask for their size.
    return VIEWS[route.view].make(run, result, route, place);
  }

  window.addEventListener('hashchange', show);
  document.addEventListener('keydown', (event) => {
    if (event.target.closest?.('input, select, textarea')) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (shown?.view.key?.(event)) event.preventDefault();
  });
  show();
}
