// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, text_of, with_page } from './browser.mjs';

const hash = '#view=execution';

test('An execution graph has its events by thread, and all of its edges', async () => {
  const result = fixture('weak');
  const { graph, steps } = result.results[0].evidence;
  const used = new Set(graph.flatMap(([from, to]) => [from, to]));
  await with_page({ result, hash }, async (page) => {
    assert.equal(await page.locator('.event').count(), used.size);
    for (const kind of ['po', 'rf', 'mo']) {
      const expected = graph.filter((e) => e[2] === kind).length;
      assert.ok(expected > 0, kind);
      assert.equal(await page.locator(`.edge.${kind}`).count(), expected);
    }
    const columns = await page.locator('.event').evaluateAll((nodes) =>
      nodes.map((n) => n.getAttribute('transform').match(/[\d.]+/)[0]),
    );
    const threads = [...used]
      .sort((a, b) => a - b)
      .map((at) => steps[at].thread);
    const of_thread = new Map(threads.map((t, i) => [t, columns[i]]));
    threads.forEach((t, i) => assert.equal(columns[i], of_thread.get(t)));
    assert.equal(new Set(columns).size, new Set(threads).size);
  });
});

test('It begins at a read of what is not the latest, and keys go on from there', async () => {
  const result = fixture('weak');
  const { steps, graph } = result.results[0].evidence;
  const stale = steps.findIndex((s) => s.newer !== undefined);
  await with_page({ result, hash }, async (page) => {
    const heading = () => text_of(page, '.panel h3');
    assert.match(await heading(), new RegExp(`^Step ${stale + 1},`));
    assert.match(
      await text_of(page, '.panel'),
      new RegExp(`Not the latest: step ${steps[stale].newer + 1} `),
    );
    await page.locator('.execution-box').focus();
    await page.keyboard.press('ArrowUp');
    assert.doesNotMatch(await heading(), new RegExp(`^Step ${stale + 1},`));
    const [from, to] = graph.find((e) => e[2] === 'rf');
    await page.locator('.event').first().click();
    await page
      .locator('.event', { hasText: new RegExp(`^${to + 1}`) })
      .first()
      .click();
    assert.equal(
      await page.locator('.edge.near').count(),
      graph.filter((e) => e[0] === to || e[1] === to).length,
    );
    await page
      .getByRole('button', { name: `step ${from + 1}`, exact: true })
      .click();
    assert.match(await heading(), new RegExp(`^Step ${from + 1},`));
    await page.getByRole('link', { name: 'In the run' }).click();
    assert.match(page.url(), new RegExp(`view=steps&step=${from + 1}$`));
  });
});

test('Kinds of edges can be hidden; the table has them in words', async () => {
  const result = fixture('weak');
  const { graph } = result.results[0].evidence;
  await with_page({ result, hash }, async (page) => {
    const toggle = page.getByRole('button', { name: 'rf', exact: true });
    await toggle.click();
    assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
    assert.equal(await page.locator('.edge.rf').first().isVisible(), false);
    assert.equal(await page.locator('.edge.mo').first().isVisible(), true);
    await page.getByText('The edges, as a table').click();
    assert.equal(
      await page.locator('.rows tbody tr').count(),
      graph.filter((e) => e[2] !== 'po').length,
    );
  });
});

test('Wrong edges are left out, and without any there is no such view', async () => {
  const result = fixture('weak');
  const { evidence } = result.results[0];
  const edges = evidence.graph.length;
  evidence.graph.push([0, 99999, 'rf'], ['x', 1, 'po'], [0, 1, '<b>'], null);
  await with_page({ result, hash }, async (page) => {
    assert.equal(await page.locator('.edge').count(), edges);
  });
  evidence.graph = [[0, 99999, 'rf']];
  await with_page({ result, hash }, async (page) => {
    assert.equal(await page.getByText('Execution graph').count(), 0);
  });
});

test('The head says where a violation can happen, and what would help', async () => {
  await with_page({ result: fixture('weak'), hash }, async (page) => {
    const head = await text_of(page, 'header.head');
    assert.match(head, /can happen on ARM, POWER and RISC-V/);
    assert.match(head, /With stronger orders .*186: store, relaxed → release/);
  });
  await with_page({ result: fixture('program') }, async (page) => {
    assert.doesNotMatch(await text_of(page, 'header.head'), /stronger orders/);
  });
});
