import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { Soaked } from '../../../../main/contract/study/soak';
import type { Core } from '../../../../main/core';
import { programWith, said } from '../../../support/cli-program';
import { runA } from '../../../support/duel';
import { rejection } from '../../../support/rejection';
import { completeState } from '../../../support/run-state';
import { soaked, soakStrategy } from '../../../support/soaked';

/** A core whose soak comes to what is given. */
function coreWith(
  known: Soaked,
  { criteria = [], error }: { criteria?: string[]; error?: Error } = {},
): Core {
  const soak = soakStrategy({ criteria });
  const spec = { name: 'night', strategy: { ...soak, trials: [] }, hosts: null };
  return {
    subscribe: () => () => undefined,
    handlers: {
      'runs.all': () =>
        Promise.resolve({ runs: [{ ...completeState(), runId: runA, name: 'nightly' }], unreadable: [] }),
      'deployments.list': () => Promise.resolve([]),
      'soaks.plan': () => Promise.resolve({ soak, spec, notes: ['Load: a note.'] }),
      'soaks.work': () => (error === undefined ? Promise.resolve() : Promise.reject(error)),
      'searches.get': () =>
        Promise.resolve({ name: 'night', spec, soaked: known, searched: { looks: [], failed: {} } }),
      'searches.report': () =>
        Promise.resolve({ files: [{ kind: 'html', path: '/home/soak.html' }], problem: null }),
    },
  } as unknown as Core;
}

const asked = ['soak', 'nightly', '--for', '20m'] as const;
const gone = new WorkbenchError('server-gone', 'Triton ended with signal SIGKILL while it was under load');

/** What it says until it fails with {@link gone}. */
async function saidUntilFailure(core: Core): Promise<string> {
  const lines: string[] = [];
  const program = programWith({
    core: () => Promise.resolve(core),
    output: ({ json = false }) => ({
      ...{ json, live: false, rewrite: () => undefined, clearScreen: () => undefined },
      ...{ say: (line) => lines.push(line), document: () => undefined },
    }),
  });
  expect(await rejection(program.parseAsync(asked, { from: 'user' }))).toBe(gone);
  return lines.join('\n');
}

describe('workOnSoak', () => {
  it('says the answer first, and exits as a gate does', async () => {
    const leaks = coreWith(soaked({ stub: 600_000 }), { criteria: ['rss-slope>1MB/h'] });
    const { text, codes } = await said(leaks, ...asked);
    expect(text).toMatch(/The Python stub of ocr grows by .* MB per 1,000 requests/);
    expect(text).toContain('rss-slope>1MB/h: exceeded');
    expect(text).toContain('html: /home/soak.html');
    expect(codes.at(-1)).toBe(3);
    const flat = coreWith(soaked({}), { criteria: ['rss-slope>5MB/h'] });
    expect((await said(flat, ...asked)).codes.at(-1) ?? 0).toBe(0);
  });

  it('is inconclusive for a gate where nothing was answered', async () => {
    const { blocks, slices } = soaked({});
    const failing = slices.map((slice) => ({ ...slice, requests: 0, errors: 9, refused: 3 }));
    const core = coreWith({ blocks, slices: failing }, { criteria: ['rss-slope>5MB/h'] });
    const { text, codes } = await said(core, ...asked);
    expect(text).toContain('Inconclusive: no request was answered');
    expect(text).toContain('36 of 48 requests failed; 12 of 48 requests were refused');
    expect(codes.at(-1)).toBe(4);
  });

  it('says what grew until the server ended, and fails', async () => {
    const core = coreWith(soaked({ stub: 600_000 }), { error: gone });
    const text = await saidUntilFailure(core);
    expect(text).toMatch(/The Python stub of ocr grows by/);
    expect(text).toContain('html: /home/soak.html');
  });

  it('says nothing of a soak that never began', async () => {
    const core = coreWith({ blocks: [], slices: [] }, { error: gone });
    expect(await saidUntilFailure(core)).not.toMatch(/memory|report/);
  });
});
