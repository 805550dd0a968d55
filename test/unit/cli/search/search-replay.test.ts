import { describe, expect, it } from 'vitest';
import { replayOf, type ReplayOptions } from '../../../../main/cli/search/search-replay';
import type { Core } from '../../../../main/core';

const given: string[] = [];
const core = {
  handlers: {
    'approvals.give': ({ path }: { readonly path: string }) => {
      given.push(path);
      return Promise.resolve();
    },
  },
} as unknown as Core;
const read = (options: ReplayOptions) => replayOf(core, options);

describe('the trace of a search on the command line', () => {
  it('is read by its full path, from its start, as fast as recorded', async () => {
    expect(await read({})).toEqual({});
    expect(await read({ replay: '/traces/july.csv' })).toEqual({
      replay: { file: '/traces/july.csv', speed: 1, fromS: 0 },
    });
    expect(given).toEqual(['/traces/july.csv']);
  });

  it('has the part and the speed that are asked for', async () => {
    const { replay } = await read({ replay: '/t.csv', speed: '2.5', from: '90s', to: '10m' });
    expect(replay).toEqual({ file: '/t.csv', speed: 2.5, fromS: 90, toS: 600 });
  });

  it.each([
    ['--speed', { speed: '2' }],
    ['--from', { from: '1s' }],
    ['--to', { to: '1s' }],
    ['--speed', { replay: '/t.csv', speed: '0' }],
    ['--speed', { replay: '/t.csv', speed: 'fast' }],
    ['--from', { replay: '/t.csv', from: '-1s' }],
    ['--to', { replay: '/t.csv', to: 'noon' }],
    ['--to', { replay: '/t.csv', from: '20s', to: '10s' }],
  ] satisfies readonly (readonly [string, ReplayOptions])[])(
    'is refused with %s of %j',
    async (where, options) => {
      await expect(read(options)).rejects.toMatchObject({ code: 'input-invalid', where });
    },
  );
});
