// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, text_of, with_page } from './browser.mjs';

const current = (page) => text_of(page, 'tr[aria-current=step]');

test('Of a model: a column a process, statements, effects, frames', async () => {
  await with_page(
    { result: fixture('model'), hash: '#result=4' },
    async (page) => {
      assert.deepEqual(
        await page.locator('.steps-table thead th').allInnerTexts(),
        ['step', 'line', 'process 0', 'process 1'],
      );
      assert.match(
        await text_of(page, 'tr[data-step="14"]'),
        /if \(cas\(top, t, next\)\)[\s\S]*top: #1 → null/,
      );
      assert.equal(
        await page.locator('tr[data-step="8"] .frame.begins').count(),
        1,
      );
      assert.equal(
        await page.locator('tr[data-step="16"] .frame.ends').count(),
        1,
      );
      // The other process is within its call meanwhile.
      assert.equal(await page.locator('tr[data-step="16"] .frame').count(), 2);
      assert.match(await current(page), /27/);
    },
  );
});

test('Of code: a column a thread, source with line numbers', async () => {
  await with_page(
    { result: fixture('program'), hash: '#result=4&step=11' },
    async (page) => {
      assert.deepEqual(
        await page.locator('.steps-table thead th').allInnerTexts(),
        ['step', 'line', 'main', 'T1', 'T2'],
      );
      assert.match(await current(page), /78[\s\S]*top_\.word: #1 → #2/);
      assert.match(await text_of(page, '.source'), /treiber_stack\.h:78/);
      assert.match(
        await text_of(page, '.source .here'),
        /78[\s\S]*compare_exchange_weak/,
      );
      assert.match(await text_of(page, '.source'), /73[\s\S]*83/);
      assert.match(
        await text_of(page, '.memory'),
        /top_\.word[\s\S]*#1[\s\S]*→[\s\S]*#2/,
      );
    },
  );
});

test('Keys step forwards and backwards, to the ends, and play', async () => {
  await with_page(
    { result: fixture('model'), hash: '#result=4&view=steps&step=3' },
    async (page) => {
      const said = () => text_of(page, '.player .said');
      await page.keyboard.press('ArrowRight');
      assert.equal(await said(), 'step 4 of 27');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      assert.equal(await said(), 'step 2 of 27');
      await page.keyboard.press('End');
      assert.equal(await said(), 'step 27 of 27');
      await page.keyboard.press('ArrowRight');
      assert.equal(await said(), 'step 27 of 27');
      await page.keyboard.press('Home');
      assert.equal(await said(), 'before the first step');
      await page.keyboard.press(' ');
      await page.getByText('step 1 of 27', { exact: true }).waitFor();
      await page.keyboard.press(' ');
      await page.getByRole('button', { name: 'Play' }).waitFor();
    },
  );
});

test('The slider and a click on a row choose a step', async () => {
  await with_page(
    { result: fixture('model'), hash: '#result=4' },
    async (page) => {
      await page.locator('tr[data-step="20"] td').last().click();
      assert.match(page.url(), /step=20/);
      await page.getByLabel('Step', { exact: true }).fill('6');
      assert.match(page.url(), /step=6/);
      assert.match(
        await text_of(page, '.memory .changed'),
        /top[\s\S]*null[\s\S]*#1/,
      );
    },
  );
});

test('Cells of the heap are boxes, pointers arrows, and a list is a row', async () => {
  await with_page(
    { result: fixture('list'), hash: '#step=5' },
    async (page) => {
      const boxes = await page
        .locator('.heap .cell .body')
        .evaluateAll((nodes) =>
          nodes.map((n) => ({
            x: Number(n.getAttribute('x')),
            y: Number(n.getAttribute('y')),
          })),
        );
      assert.equal(boxes.length, 3);
      assert.equal(new Set(boxes.map((b) => b.y)).size, 1, 'in one row');
      assert.equal(await page.locator('.heap .pointer').count(), 2);
      const titles = await page.locator('.heap .cell .title').allTextContents();
      const by_x = titles
        .map((t, i) => [boxes[i].x, t.trim()])
        .sort((a, b) => a[0] - b[0]);
      assert.deepEqual(
        by_x.map((b) => b[1]),
        ['#3 Node', '#1 Node', '#2 Node (freed)'],
      );
      assert.match(
        await page.locator('.heap').getAttribute('aria-label'),
        /top points at it/,
      );
      assert.equal(await page.locator('.heap .cell.changed').count(), 1);
      assert.equal(await page.locator('.heap .cell.freed').count(), 1);
    },
  );
});

test('A run that goes round for ever says where it begins again', async () => {
  await with_page(
    { result: fixture('loop'), hash: '#view=steps' },
    async (page) => {
      assert.match(
        await text_of(page, '.loop'),
        /steps 2 to 11 can repeat for ever/,
      );
      assert.equal(
        await page.locator('tr.loop-begins').getAttribute('data-step'),
        '2',
      );
    },
  );
});

test('A fault is marked where it happens', async () => {
  await with_page(
    { result: fixture('model'), hash: '#result=1' },
    async (page) => {
      assert.match(
        await current(page),
        /✗ Node next = t\.next[\s\S]*freed cell used/,
      );
      assert.equal(await page.locator('.heap .cell.freed').count(), 1);
    },
  );
});

test('Runs of many thousand steps are shown in parts', async () => {
  const result = fixture('model');
  const { trace } = result.results[3].evidence;
  const some = trace.steps;
  trace.steps = Array.from({ length: 20000 }, (_, i) => some[i % some.length]);
  await with_page({ result, hash: '#result=4&step=12345' }, async (page) => {
    assert.match(await text_of(page, '.player .said'), /step 12,345 of 20,000/);
    assert.ok((await page.locator('.steps-table tbody tr').count()) <= 300);
    await page.getByRole('button', { name: 'Later steps' }).click();
    await page.keyboard.press('End');
    assert.match(await current(page), /20,000/);
  });
});

test('The end of a run that goes on for ever is told as it is', async () => {
  const ends = async (change, expected) => {
    const result = fixture('loop');
    change(result.results.find((r) => r.evidence).evidence.trace);
    await with_page({ result, hash: '#view=steps' }, async (page) =>
      assert.equal(await text_of(page, '.loop'), expected),
    );
  };
  const at_end = (trace) => {
    trace.back_to = trace.steps.length;
  };
  await ends(
    (trace) => {
      at_end(trace);
      trace.waiting = 1;
    },
    'After the last step process 1 waits for ever.',
  );
  await ends(at_end, 'After the last step nothing can happen any more.');
  await ends((trace) => {
    trace.back_to = trace.steps.length - 1;
  }, '↻ After the last step the state is that after step 10 again, so step 11 can repeat for ever.');
});
