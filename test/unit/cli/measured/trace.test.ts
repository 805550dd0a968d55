import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { SlowRequests } from '../../../../main/contract/measured/slow-requests';
import type { Core } from '../../../../main/core';
import { readSlowRequests } from '../../../../main/perf/trace/read-slow-requests';
import { said } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';
import { httpStamps, traceFile } from '../../../support/triton-trace';

let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-trace-verb-'));
  file = join(dir, 'trace.json');
  const requests = [10, 20, 30, 4000].map((queueUs, at) => ({
    ...{ id: at + 1, model: 'ocr', requestId: `r${at}` },
    atUs: httpStamps(at * 1e5, queueUs, 100),
  }));
  await writeFile(file, traceFile(requests));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const body = measurementBody('online', pointFixture({ concurrency: 4 }));
const slow: SlowRequests = {
  ...{ model: 'ocr', protocol: 'grpc', requests: 3, incomplete: 0, medianCount: 1, slowCount: 1 },
  ...{ medianUs: 100, slowUs: 900, slowest: [] },
  parts: [{ model: null, phase: 'queue', medianUs: 100, slowUs: 900 }],
};
const key = body.type === 'measurement' ? body.key : '';
const traced = (result: { readonly slow: SlowRequests[]; readonly problem?: string }) =>
  stateOf([
    ...createdBodies(),
    body,
    { type: 'trace', scenario: 'online', key, event: { kind: 'traced', ...result } },
  ]);

async function asked(state: ReturnType<typeof stateOf>, ...words: readonly string[]) {
  const requests: unknown[] = [];
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'runs.show': () => Promise.resolve({ state }),
      'traces.read': ({ path }: { readonly path: string }) => readSlowRequests(path),
      'deployments.show': ({ id }: { readonly id: string }) =>
        id === 'web'
          ? Promise.resolve({})
          : Promise.reject(new WorkbenchError('deployment-unknown', `Unknown deployment "${id}"`)),
      'deployments.trace': ({ id, ...request }: { readonly id: string }) => {
        if (id !== 'web') {
          return Promise.reject(new WorkbenchError('deployment-unknown', `Unknown deployment "${id}"`));
        }
        requests.push(request);
        return Promise.resolve({ dir: '/home/deployments/web/traces', slow: [slow] });
      },
    },
  } as unknown as Core;
  return { ...(await said(core, ...words)), requests };
}

describe('trace', () => {
  it('of a file says where the slowest spent their time', async () => {
    const { text } = await asked(traced({ slow: [] }), 'trace', file);
    expect(text).toContain('The slowest of 4 traced requests took');
    expect(text).toMatch(/Their longest part is queue, 4\.0/);
    expect(text).toMatch(/r3 +4\.\d+ +queue/);
  });

  it('of a file is one document, too', async () => {
    const { documents } = await asked(traced({ slow: [] }), 'trace', file, '--json');
    expect(documents).toMatchObject([
      {
        ...{ kind: 'triton-workbench-trace', version: 1, file },
        levels: [{ title: file, problem: null, slow: [{ model: 'ocr', requests: 4 }] }],
      },
    ]);
  });

  it('of a run has its levels, and why one has none', async () => {
    const { text } = await asked(traced({ slow: [slow] }), 'trace', 'a');
    expect(text).toContain('Online, batch size 1, concurrency 4');
    expect(text).toContain('does not separate receiving');
    expect(text).not.toContain('Tracing the next');
    const failed = await asked(traced({ slow: [], problem: 'Triton wrote no trace' }), 'trace', 'a');
    expect(failed.text).toContain('Not traced: Triton wrote no trace');
  });

  it('of a run without any says how to have some', async () => {
    const none = stateOf([...createdBodies(), body]);
    const error = await rejection(asked(none, 'trace', 'a'));
    expect(error).toMatchObject({ code: 'input-invalid', message: 'No requests of a were traced' });
    expect(error.remedy).toContain('--set performance.traceRequests=200');
  });

  it('of a deployment waits for so many requests, for so long', async () => {
    const words = ['trace', 'web', '--requests', '50', '--for', '2m', '--model', 'ocr'];
    const { text, requests } = await asked(traced({ slow: [] }), ...words);
    expect(requests).toMatchObject([{ requests: 50, limitMs: 120_000, model: 'ocr' }]);
    expect(text).toContain('Trace files: /home/deployments/web/traces');
    const usual = await asked(traced({ slow: [] }), 'trace', 'web');
    expect(usual.requests).toMatchObject([{ requests: 200, limitMs: 60_000 }]);
  });

  it.each([
    ['--requests', ['a', '--requests', '5']],
    ['--for', ['a', '--for', '5s']],
    ['--requests', ['web', '--requests', '0']],
    ['--requests', ['web', '--requests', '20000']],
    ['--for', ['web', '--for', 'long']],
  ])('refuses with %s what it cannot take: %j', async (flag, words) => {
    const error = await rejection(asked(traced({ slow: [slow] }), 'trace', ...words));
    expect(error).toMatchObject({ code: 'input-invalid', where: flag });
  });

  it('refuses options of a deployment with a file', async () => {
    const error = await rejection(asked(traced({ slow: [] }), 'trace', file, '--model', 'ocr'));
    expect(error.where).toBe('--model');
  });
});
