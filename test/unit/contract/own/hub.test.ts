import { describe, expect, it } from 'vitest';
import { type HubModel, hubModelText, hubText, parseHubReference } from '../../../../main/contract/own/hub';

const commit = '0123456789abcdef0123456789abcdef01234567';

describe('a reference to the hub', () => {
  it.each([
    ['hf:acme/my-bert', { id: 'acme/my-bert', revision: 'main' }],
    ['hf:acme/my-bert@v2.0', { id: 'acme/my-bert', revision: 'v2.0' }],
    ['hf:acme/my-bert@refs/pr/3', { id: 'acme/my-bert', revision: 'refs/pr/3' }],
    [`hf:gpt2@${commit}`, { id: 'gpt2', revision: commit }],
  ])('%s names a model and a revision', (text, wanted) => {
    expect(parseHubReference(text)).toEqual(wanted);
    expect(parseHubReference(hubText(wanted))).toEqual(wanted);
  });

  it.each([
    ...['acme/my-bert', 'hf:', 'hf:/my-bert', 'hf:acme/', 'hf:a/b/c', 'hf:acme/../x', 'hf:acme--my/bert'],
    ...['hf:acme/my-bert@', 'hf:acme/my-bert@../main', 'hf:acme/my bert', 'hf:-acme/x', 'hf:acme/x@-f'],
    ...[`hf:acme/${'x'.repeat(97)}`, 'hf:acme/x@main@2'],
  ])('%s is refused with how to write one', (text) => {
    expect(() => parseHubReference(text)).toThrow('is not a model of the Hugging Face hub');
  });
});

it('the size is said before a download, and what of it is in the cache', () => {
  const model: HubModel = {
    ...{ id: 'acme/my-bert', revision: commit, reference: hubText({ id: 'acme/my-bert', revision: commit }) },
    ...{
      files: 6,
      bytes: 3 * 1024 ** 2,
      missingBytes: 3 * 1024 ** 2,
      license: 'mit',
      path: null,
      note: null,
    },
  };
  expect(hubModelText(model)).toBe(
    'acme/my-bert at 0123456789ab: 6 files, 3.0 MiB, to be downloaded. License: mit.',
  );
  const some = hubModelText({ ...model, files: 1, missingBytes: 1024 ** 2, license: null });
  expect(some).toContain('1 file, 3.0 MiB, of which 1.0 MiB are to be downloaded');
  expect(some).toContain('License: not stated by the model card.');
  expect(hubModelText({ ...model, missingBytes: 0 })).toContain('all of it in the cache');
});
