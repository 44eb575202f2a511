// SPDX-License-Identifier: Apache-2.0
// Bundles src/ into one page: build.mjs NODE_MODULES OUTPUT.
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const [modules, output] = process.argv.slice(2).map((p) => path.resolve(p));
const { build } = createRequire(path.join(modules, 'x.js'))('esbuild');

const bundled = await build({
  entryPoints: [path.join(here, 'src/main.js')],
  absWorkingDir: here,
  nodePaths: [modules],
  bundle: true,
  minify: true,
  charset: 'ascii',
  format: 'iife',
  target: ['es2020'],
  legalComments: 'none',
  outdir: '/out',
  write: false,
  logLevel: 'warning',
});

function bundle(suffix) {
  const text = bundled.outputFiles.find((f) => f.path.endsWith(suffix)).text;
  // Both would end the element that the text stands in.
  if (/<\/(script|style)|<!--/i.test(text)) {
    throw new Error(`${suffix}: the bundle holds the end of an element`);
  }
  return text.trim();
}

// Functions, not strings: `$&` in the bundle has no meaning.
const page = readFileSync(path.join(here, 'src/index.html'), 'utf8')
  .replace('/*STYLE*/', () => bundle('.css'))
  .replace('/*SCRIPT*/', () => bundle('.js'));
if (page.split('/*RESULT*/').length !== 2) {
  throw new Error('the page must hold /*RESULT*/ exactly once');
}
mkdirSync(path.dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${path.relative(process.cwd(), output)}: ${page.length} bytes`);
