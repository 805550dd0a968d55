import { expect, it } from 'vitest';
import { createFormView } from '../../../../../renderer/stores/draft/form-view';
import { createStorage } from '../../client-double';

it('is simple at first, and after that what was shown last', () => {
  const storage = createStorage();
  const first = createFormView(storage);
  expect(first.getState().view).toBe('simple');
  first.getState().show('all');
  expect(first.getState().view).toBe('all');
  expect(createFormView(storage).getState().view).toBe('all');
  expect(createFormView(createStorage({ 'workbench.form-view': 'seven' })).getState().view).toBe('simple');
});
