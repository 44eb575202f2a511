// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, text_of, with_page } from './browser.mjs';

test('The state graph shows states, steps and the path in another colour', async () => {
  const result = fixture('graph');
  const { graph } = result.results[0];
  await with_page({ result, hash: '#view=graph' }, async (page) => {
    assert.equal(await page.locator('.state').count(), graph.states.length);
    assert.ok(graph.path.length > 2);
    assert.equal(
      await page.locator('.state.path').count(),
      new Set(graph.path).size,
    );
    const [plain, path] = await page.evaluate(() =>
      ['.edge.plain path', '.edge.path path'].map(
        (s) => getComputedStyle(document.querySelector(s)).strokeWidth,
      ),
    );
    assert.ok(parseFloat(path) > parseFloat(plain), 'thicker, too');
    assert.equal(await page.locator('.state.initial .ring').count(), 1);
  });
});

test('States lie in layers, and none on another', async () => {
  await with_page(
    { result: fixture('graph'), hash: '#view=graph' },
    async (page) => {
      const places = await page.locator('.state').evaluateAll((nodes) =>
        nodes.map((n) => {
          const [x, y] = n
            .getAttribute('transform')
            .match(/-?[\d.]+/g)
            .map(Number);
          return { x, y };
        }),
      );
      places.forEach((a, i) =>
        places.slice(i + 1).forEach((b) => {
          assert.ok(
            Math.hypot(a.x - b.x, a.y - b.y) > 22,
            JSON.stringify([a, b]),
          );
        }),
      );
    },
  );
});

test('Hovering tells a state’s variables; keys go along the path and zoom', async () => {
  const result = fixture('graph');
  await with_page({ result, hash: '#view=graph' }, async (page) => {
    await page.locator('.state.initial').hover();
    assert.match(await text_of(page, '.panel'), /the initial one/);
    assert.match(await text_of(page, '.panel'), /process 0/);
    await page.locator('.graph-box').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(
      await text_of(page, '.panel h3'),
      new RegExp(`State ${result.results[0].graph.path[1]}$`),
    );
    const before = await page
      .locator('.graph-picture > g')
      .getAttribute('transform');
    await page.keyboard.press('+');
    assert.notEqual(
      await page.locator('.graph-picture > g').getAttribute('transform'),
      before,
    );
  });
});

test('400 states are laid out within a second', async () => {
  const result = fixture('graph');
  const size = 400;
  const edges = [];
  for (let s = 1; s < size; ++s) {
    edges.push(
      [Math.floor((s - 1) / 2), s, 0, 0],
      [(s * 7) % size, s, 0, 1],
      [s, (s * 13) % s, 0, 0],
    );
  }
  result.results[0].graph = {
    initial: 0,
    labels: ['step'],
    edges,
    path: [0, 1, 3],
    states: Array.from({ length: size }, (_, i) => [`x = ${i}`]),
  };
  const begin = Date.now();
  await with_page({ result, hash: '#view=graph' }, async (page) => {
    assert.equal(await page.locator('.state').count(), size);
    const took = await page.evaluate(() => performance.now());
    assert.ok(took < 5000, `${took} ms, ${Date.now() - begin} in all`);
  });
});
