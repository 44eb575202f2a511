// SPDX-License-Identifier: Apache-2.0
// Names and values of programs under test may be anything; they are shown as
// text and never executed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, text_of, with_page } from './browser.mjs';

const MARKUP =
  '</script><img src=x onerror="window.tripped=1"><svg onload=window.tripped=1>' +
  '<!--<script>window.tripped=1</script>"\' onmouseover="window.tripped=1" x="javascript:window.tripped=1';
const ODD = 'a\u0000b\u202ec\ud800d\u2028e\u200bf\ufeff\u001b[31m';

/** Replaces every string of a value, names of members too. */
function spoil(value, by) {
  if (typeof value === 'string') return by(value);
  if (Array.isArray(value)) return value.map((v) => spoil(v, by));
  if (value && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([k, v]) => [k, spoil(v, by)]),
    );
  }
  return value;
}

// Words that decide what is shown stay what they are.
const KEPT = [
  'history',
  'program',
  'object',
  'papers',
  'holds',
  'violated',
  'call',
  'return',
  'event',
  'invoke',
  'internal',
  'fault',
  'linearizable',
];
const spoiled = (name, with_what) =>
  spoil(fixture(name), (s) => (KEPT.includes(s) ? s : with_what + s));

async function visit_all(page) {
  const links = await page.locator('.tabs a').count();
  for (let i = 0; i < links; ++i) {
    await page.locator('.tabs a').nth(i).click();
    await page.locator('section.view').waitFor();
    for (const summary of await page
      .locator('details:not([open]) > summary')
      .all()) {
      await summary.click();
    }
  }
}

const PAGES = [
  ['linearizable', ''],
  ['quasi', ''],
  ['model', '#result=4'],
  ['program', '#result=4'],
  ['graph', '#view=graph'],
  ['papers', ''],
  ['histories', ''],
];

test('Markup in names and values is shown as text', async () => {
  for (const [name, hash] of PAGES) {
    await with_page({ result: spoiled(name, MARKUP), hash }, async (page) => {
      await visit_all(page);
      assert.equal(
        await page.locator('img, iframe, object, embed, main script').count(),
        0,
      );
      assert.equal(
        await page.locator('[onerror], [onload], [onmouseover]').count(),
        0,
      );
      assert.ok((await text_of(page, 'main')).includes('<img'), name);
    });
  }
});

test('Odd characters are named, not obeyed', async () => {
  for (const [name, hash] of PAGES) {
    await with_page({ result: spoiled(name, ODD), hash }, async (page) => {
      await visit_all(page);
      const words = await page.locator('#app').evaluate((n) => n.textContent);
      assert.match(words, /⟨U\+0000⟩/, name);
      assert.match(words, /⟨U\+202E⟩/);
      assert.match(words, /⟨U\+D800⟩/);
      assert.doesNotMatch(words, /[\u0000\u202e\u200b\u2028\ufeff\u001b]/);
    });
  }
});

test('Strings of a megabyte are cut, and nothing hangs', async () => {
  const long = 'x'.repeat(1 << 20);
  for (const [name, hash] of [
    ['linearizable', ''],
    ['model', '#result=4'],
  ]) {
    const result = fixture(name);
    const target = result.results[result.results.length > 3 ? 3 : 0];
    target.reason = long;
    target.specification = long;
    if (name === 'linearizable') {
      target.history.argument[0] = long;
      target.history.functions[1] = long;
      target.history.processes[0] = long;
    } else {
      const step = target.evidence.trace.steps[20];
      step.statement = long;
      step.effects = [long];
      step.state[long] = long;
      step.state['#1'] = `Node { ${long} = ${long} }`;
    }
    await with_page({ result, hash }, async (page) => {
      await visit_all(page);
      const most = await page
        .locator('#app')
        .evaluate((n) => n.textContent.length);
      assert.ok(most < 300000, `${most} characters`);
      assert.ok((await page.evaluate(() => performance.now())) < 15000);
    });
  }
});

test('Members of the wrong type are left out', async () => {
  for (const wrong of [null, 0, 'x', [], {}, [null], [[[]]], true, -1e308]) {
    const result = fixture('linearizable');
    const { history } = result.results[0];
    for (const name of Object.keys(history)) {
      const copy = structuredClone(result);
      copy.results[0].history[name] = wrong;
      copy.results[0].evidence[name] = wrong;
      result.results.push(copy.results[0]);
    }
    await with_page({ result, hash: '#result=2' }, async (page) => {
      const shown = await page.evaluate(async (last) => {
        let seen = 0;
        for (let n = 2; n <= last; ++n) {
          window.location.hash = `#result=${n}`;
          await new Promise((resolve) => {
            setTimeout(resolve, 20);
          });
          if (document.querySelector('.pager')?.textContent.includes(`${n} of`))
            ++seen;
        }
        return seen;
      }, result.results.length);
      assert.equal(shown, result.results.length - 1);
    });
  }
});
