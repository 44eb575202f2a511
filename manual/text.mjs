// SPDX-License-Identifier: Apache-2.0
// Words of documents: escaped for pages, and as the names of headings.

export const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
  .replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Gives headings their anchors as GitHub does; tests/style/links.py too. */
export function slug_maker() {
  const seen = new Map();
  return (heading) => {
    const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = words.replace(/[^\p{L}\p{N}_\- ]/gu, '').replace(/ /g, '-');
    const again = seen.get(name) ?? 0;
    seen.set(name, again + 1);
    return again === 0 ? name : `${name}-${again}`;
  };
}

/** The anchors of a document. */
export function anchors_of(text) {
  const slug = slug_maker();
  const found = new Set();
  let fenced = false;
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) fenced = !fenced;
    const heading = fenced ? null : line.match(/^#{1,6} +(.*?) *#*$/);
    if (heading) found.add(slug(heading[1]));
  }
  return found;
}
