import { afterEach, describe, expect, it } from 'vitest';
import { HttpTransport } from '../../../../../main/perf/native/http1/transport';
import type { LoadJob } from '../../../../../main/perf/native/seam/load-job';
import {
  type BareInferenceServer,
  startBareInferenceServer,
} from '../../../../support/bare-inference-server';
import { loadJobOf, sendThrough } from '../../../../support/transports';

let server: BareInferenceServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const outputs: NonNullable<LoadJob['outputChecks']> = {
  outputs: [{ name: 'Y', datatype: 'FP32', shape: [-1, 2] }],
  finite: true,
  expected: [
    {
      ...{ name: 'Y', datatype: 'FP32', shape: [2] },
      samples: [Buffer.from(new Float32Array([2, 4]).buffer), Buffer.from(new Float32Array([6, 8]).buffer)],
    },
  ],
};

async function sentTo(
  options: Parameters<typeof startBareInferenceServer>[0],
  more: Partial<LoadJob> = {},
): Promise<Awaited<ReturnType<typeof sendThrough>>> {
  server = await startBareInferenceServer(options);
  const port = Number(server.address.split(':')[1]);
  const job = loadJobOf({ port, protocol: 'http', json: true, outputChecks: outputs, ...more });
  return sendThrough((events) => new HttpTransport(job, events), { requests: 5, slots: 2 });
}

describe('requests with JSON tensors', () => {
  it.each([
    ['replies of a length', {}, {}],
    ['replies in chunks', { chunked: true }, {}],
    ['compressed replies', { gzip: true }, { compression: 'gzip' }],
    ['compressed replies in chunks', { gzip: true, chunked: true }, { compression: 'gzip' }],
  ] as const)('take %s, and have the expected values', async (_what, options, more) => {
    const { outcomes, transport } = await sentTo(options, more);
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'success'));
    expect(transport.outputs).toMatchObject({ checked: 10, wrong: 0, compared: 10 });
  });

  it('find wrong values', async () => {
    const { outcomes, transport } = await sentTo({ factor: 3, chunked: true });
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'success'));
    expect(transport.outputs.wrong).toBe(10);
    expect(transport.faults).toMatchObject([{ kind: 'output differs' }]);
  });

  it('open one connection per slot, whose times are counted', async () => {
    const { transport } = await sentTo({});
    expect(transport.opened).toMatchObject({ count: 2, tlsUs: null });
    expect(transport.opened.connectUs).toBeGreaterThan(0);
  });

  it('have the server’s words where it refuses one', async () => {
    server = await startBareInferenceServer();
    const port = Number(server.address.split(':')[1]);
    const job = loadJobOf({ port, protocol: 'http', json: true, modelName: 'none' });
    const { outcomes } = await sendThrough((events) => new HttpTransport(job, events), { requests: 1 });
    expect(outcomes).toEqual(['HTTP 404: Not Found']);
  });
});
