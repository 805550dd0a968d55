import { expect, it } from 'vitest';
import { fieldsPage } from '../../../main/cli/spec';
import { fields } from '../../../main/contract/fields/fields';

it('the guide has the page that the fields give', async () => {
  await expect(fieldsPage()).toMatchFileSnapshot('../../../docs/guide/fields.md');
});

it('the page has a row for every field that a person can set', () => {
  const shown = [...fieldsPage().matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path);
  expect(shown).toEqual(fields.filter(({ internal }) => internal !== true).map(({ path }) => path));
});
