import { expect, it } from 'vitest';
import { readDocuments } from '../../../../../main/home/documents';
import type { Route } from '../../../../../renderer/stores/route';
import { articleOf } from '../../../../../renderer/views/help/article';
import { headingName, parseMarkdown } from '../../../../../renderer/views/help/markdown';

const routes: readonly Route[] = [
  { page: 'runs' },
  { page: 'new' },
  { page: 'new', repository: true },
  { page: 'run', runId: 'r' },
  { page: 'compare', runIds: [] },
  { page: 'studies' },
  { page: 'monitor' },
  { page: 'deployments' },
  { page: 'containers' },
  { page: 'environment' },
  { page: 'hosts' },
  { page: 'settings' },
];

it('the documentation has the article of each page', async () => {
  const documents = await readDocuments('.');
  for (const route of routes) {
    const { page, heading } = articleOf(route, true);
    const text = documents.find(({ id }) => id === page)?.text ?? '';
    const headings = parseMarkdown(text).flatMap((block) =>
      block.kind === 'heading' ? [headingName(block.text)] : [],
    );
    expect(headings.length, route.page).toBeGreaterThan(0);
    if (heading !== null) expect(headings, route.page).toContain(heading);
  }
});

it('before the first run, the list of runs has the tutorial', () => {
  expect(articleOf({ page: 'runs' }, false).page).toBe('guide/first-deployment');
});
