import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { settingKeys } from '../../../../main/contract/settings/settings';

it('the guide has a row for every setting, and for none that is not', async () => {
  const text = await readFile('docs/guide/settings.md', 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `[a-z]+\.[a-zA-Z0-9]+`/.test(line));
  const documented = rows.flatMap((row) => [
    ...(row.split(' | ')[0] ?? '').matchAll(/`([a-z]+\.[a-zA-Z0-9]+)`/g),
  ]);
  expect(documented.map((match) => match[1]).sort()).toEqual([...settingKeys].sort());
});
