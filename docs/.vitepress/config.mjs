import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

const docs = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(docs, '..', 'package.json'), 'utf8'));

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(join(docs, file), 'utf8'))?.[1] ?? file;
const page = (file, text = titleOf(file)) => ({ text, link: `/${file.replace(/(?:README)?\.md$/, '')}` });
const every = (folder) =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => page(join(folder, name)));

/** Pages that tests and benchmarks write. */
const measured = /^\/(benchmarks|hardware|huggingface|matrix|public-models|reliability|trees|vectors)/;

// The window lists the same articles (main/home/documents.ts).
const contents = JSON.parse(readFileSync(join(docs, 'contents.json'), 'utf8'));
const sidebar = [
  ...contents.map(({ title, pages }) => ({ text: title, items: pages.map((id) => page(`${id}.md`)) })),
  { text: 'Measured', collapsed: true, items: every('.').filter(({ link }) => measured.test(link)) },
  {
    text: 'Design',
    collapsed: true,
    items: [...every('.').filter(({ link }) => !measured.test(link)), ...every('adr')],
  },
];

const listed = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => link)));
for (const file of readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.md'))) {
  if (file !== 'README.md' && !listed.has(page(file).link))
    throw new Error(`docs/${file} is not in the sidebar`);
}

/** The pages are Markdown as a forge shows it: no HTML and no Vue in them, and a link that leads nowhere ends the build. */
export default defineConfig({
  title: 'Triton Workbench',
  description: 'Deploy a model on NVIDIA Triton Inference Server and measure it.',
  srcDir: '.',
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.vitepress',
  rewrites: { 'README.md': 'index.md', 'guide/README.md': 'guide/index.md' },
  ignoreDeadLinks: false,
  markdown: {
    html: false,
    linkify: false,
    config(md) {
      // Text with braces is text, and no expression of Vue.
      const { text } = md.renderer.rules;
      md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
      // README.md is the page of its folder, as on a forge.
      const { normalizeLink } = md;
      md.normalizeLink = (url) => normalizeLink(url.replace(/(^|\/)README\.md(?=#|$)/, '$1index.md'));
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      // As in the window: the beginning of each word is enough, and all have to be there.
      options: { miniSearch: { searchOptions: { prefix: true, fuzzy: 0.2, combineWith: 'AND' } } },
    },
    outline: [2, 3],
    nav: [
      { text: 'First deployment', link: '/guide/first-deployment' },
      { text: 'Guide', link: '/guide/' },
      { text: 'Command line', link: '/reference/cli' },
      { text: version, items: [page('guide/limits.md'), page('SECURITY.md')] },
    ],
    sidebar,
  },
  // Files that pages link to and that are not pages.
  buildEnd({ outDir }) {
    const schemas = join('reference', 'schemas');
    if (existsSync(join(docs, schemas)))
      cpSync(join(docs, schemas), join(outDir, schemas), { recursive: true });
  },
});
