// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, text_of, with_page } from './browser.mjs';

test('The summary tells every check with verdict, bounds and cost', async () => {
  const result = fixture('model');
  result.results[5].stats.samples = [
    [0, 0],
    [0.01, 500],
    [0.02, 2000],
    [0.03, 2360],
  ];
  await with_page({ result }, async (page) => {
    assert.match(await text_of(page, 'h1'), /All is as expected: 8 checks/);
    assert.equal(await page.locator('tbody tr').count(), 8);
    const row = await page.locator('tbody tr').nth(3).innerText();
    assert.match(row, /violated, as expected/);
    assert.match(row, /treiber_recycled linearizable/);
    assert.match(row, /262/);
    const holds = await page.locator('tbody tr').nth(1).innerText();
    assert.match(holds, /holds/);
    assert.match(holds, /any number of operations/);
    assert.match(
      await page
        .locator('tbody tr')
        .nth(5)
        .locator('.sparkline')
        .getAttribute('aria-label'),
      /2,360 states in 30 ms/,
    );
  });
});

test('A verdict has a symbol and a word, not a colour alone', async () => {
  await with_page({ result: fixture('model') }, async (page) => {
    assert.match(await text_of(page, 'tr.violated .verdict'), /✗\s*violated/);
    assert.match(await text_of(page, 'tr.holds .verdict'), /✓\s*holds/);
  });
});

test('A heading sorts the table, and turns it around', async () => {
  await with_page({ result: fixture('model') }, async (page) => {
    const states = async () =>
      (await page.locator('tbody tr').allInnerTexts()).map((t) =>
        Number(/\t([\d,]+)\t[^\t]*$/.exec(t.trim())[1].replace(',', '')),
      );
    await page.getByRole('button', { name: 'states' }).click();
    const down = await states();
    assert.deepEqual(
      down,
      [...down].sort((a, b) => b - a),
    );
    await page.getByRole('button', { name: 'states' }).click();
    assert.deepEqual(await states(), [...down].reverse());
    assert.equal(await page.locator('th[aria-sort="ascending"]').count(), 1);
  });
});

test('Inputs that could not be judged are named', async () => {
  await with_page({ result: fixture('histories') }, async (page) => {
    assert.match(await text_of(page, '.errors'), /1 error: what could not/);
    assert.match(await text_of(page, '.errors li'), /missing\.jsonl/);
    assert.match(await text_of(page, 'h1'), /Of 3 histories, 2 are violated/);
  });
});

test('One sentence tells what was asked, what came out and why', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    const story = await text_of(page, '.story');
    assert.match(
      story,
      /Is the recorded history queue_overtaken\.jsonl linearizable as a queue\?/,
    );
    assert.match(story, /No, it is violated\./);
    assert.match(story, /deq\(\) → 2 is the first return that no order/);
  });
});

test('Details tell the bounds, the cost and how to see it again', async () => {
  await with_page(
    { result: fixture('model'), hash: '#result=4&view=details' },
    async (page) => {
      const words = await text_of(page, '.view.details');
      assert.match(words, /plumb verify --check 85/);
      assert.match(words, /states represented/);
      assert.match(words, /2 processes/);
    },
  );
});

test('The papers’ page has sortable tables and growth plots', async () => {
  await with_page({ result: fixture('papers') }, async (page) => {
    assert.equal(await page.locator('table.data').count(), 1);
    assert.equal(await page.locator('.plot').count(), 1);
    assert.equal(await page.locator('.plot .series').count(), 2);
    assert.match(await page.locator('.plot svg').textContent(), /log scale/);
    await page.getByRole('button', { name: 'ours' }).click();
    assert.match(await text_of(page, 'tbody tr'), /4$/);
  });
});

test('Results of older versions, with much missing, are shown all the same', async () => {
  const bare = {
    tool: 'plumb',
    level: 'object',
    results: [{ name: 'x', verdict: 'holds' }, {}],
  };
  await with_page({ result: bare }, async (page) => {
    assert.equal(await page.locator('tbody tr').count(), 2);
    await page.locator('tbody a').first().click();
    assert.equal(await text_of(page, 'h1'), 'x');
  });
  const old = fixture('linearizable');
  delete old.results[0].history;
  await with_page({ result: old }, async (page) => {
    assert.match(await text_of(page, '.reasons'), /it would return 1, not 2/);
  });
});

test('What is no result at all is said to be none', async () => {
  for (const wrong of [
    '[1,',
    '',
    'null',
    '[]',
    '"x"',
    '{"results": 3, "errors": {}}',
  ]) {
    await with_page({ result: wrong }, async (page) => {
      assert.match(
        await text_of(page, 'main'),
        /no result|Nothing was judged/i,
      );
    });
  }
});

test('A single result does not hide the errors beside it', async () => {
  const result = fixture('program');
  const [first] = result.results;
  result.results = [{ ...first, verdict: 'holds', evidence: null }];
  result.errors = [{ file: 'a.cpp', message: 'a.cpp: error: no test' }];
  await with_page({ result }, async (page) => {
    assert.match(await text_of(page, 'h1'), /What could be judged/);
    assert.match(await text_of(page, '.errors li'), /a\.cpp: error: no test/);
  });
  await with_page({ result, hash: '#result=1' }, async (page) => {
    assert.match(await text_of(page, '.trail'), /Summary and 1 error/);
  });
});

test('Nothing is said to have been done that was not', async () => {
  const result = fixture('program');
  const [first] = result.results;
  const holds = (exhaustive) => ({
    ...first,
    verdict: 'holds',
    evidence: null,
    specification: 'the object run serially',
    stats: { ...first.stats, exhaustive },
  });
  const story = async (results, expected) => {
    await with_page({ result: { ...result, results } }, async (page) =>
      assert.match(await text_of(page, '.story'), expected),
    );
  };
  await story([], /^\s*$/);
  await story([holds(true), holds(true)], /in every interleaving/);
  await story([holds(true), holds(false)], /of some tests not in all/);
  await story([holds(true)], /linearizable as the object run serially\?/);
});

test('A history without operations holds for that reason', async () => {
  const result = fixture('linearizable');
  const [first] = result.results;
  first.verdict = 'holds';
  first.evidence = null;
  first.stats.operations = 0;
  await with_page({ result }, async (page) => {
    assert.match(await text_of(page, '.story'), /because it has no operations/);
  });
});
