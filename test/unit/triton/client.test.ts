import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTritonClient } from '../../../main/triton/client';
import { rejection } from '../../support/rejection';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server with one fault: what a foreign or broken address may answer. */
async function faultyServer(answer: RequestListener, timeoutMs = 60_000) {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return createTritonClient(`127.0.0.1:${(started.address() as AddressInfo).port}`, { timeoutMs });
}

describe('Triton client', () => {
  it('refuses redirects', async () => {
    const client = await faultyServer((_request, response) => {
      response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    });
    expect((await rejection(client.serverMetadata())).code).toBe('server-unreachable');
  });

  it('knows the metrics port, which answers everything with an empty text', async () => {
    const metrics = await faultyServer(({ method }, response) => {
      response.writeHead(method === 'GET' ? 200 : 405, { 'Content-Type': 'text/plain' });
      response.end(method === 'GET' ? '' : '{"error":"Method Not Allowed"}');
    });
    for (const asked of [
      metrics.serverMetadata(),
      metrics.modelConfig('m', '1'),
      metrics.repositoryIndex(),
    ]) {
      expect(await rejection(asked)).toMatchObject({
        code: 'server-unreachable',
        message: 'This is the metrics port of Triton, and not its HTTP port',
        remedy: 'Give the HTTP address, which has port 8000 by default.',
      });
    }
    server?.close();
    const other = await faultyServer((_request, response) => response.end('<html>'));
    expect((await rejection(other.modelConfig('m', '1'))).message).toContain(
      'unreadable model configuration',
    );
  });

  it('names a port that HTTP clients do not connect to', async () => {
    const error = await rejection(createTritonClient('127.0.0.1:1').serverMetadata());
    expect(error.code).toBe('server-unreachable');
    expect(error.message).toContain('No Triton at 127.0.0.1:1: port 1 is reserved for another protocol');
    expect(error.remedy).toContain('Check the port');
  });

  it('stops reading a reply that does not end, the sooner where no list of models is asked for', async () => {
    const client = await faultyServer((_request, response) => {
      const block = Buffer.alloc(1024 * 1024, 32);
      const write = () => {
        while (!response.destroyed && response.write(block));
        response.once('drain', write);
      };
      write();
    });
    const call = { timeoutMs: 60_000 };
    expect((await rejection(client.repositoryIndex(call))).message).toContain('more than 8 MB');
    expect((await rejection(client.serverMetadata(call))).message).toContain('more than 0.25 MB');
    expect((await rejection(client.serverReady(call))).message).toContain('more than 0.25 MB');
    expect((await rejection(client.modelReady('m', '1', call))).message).toContain('more than 0.25 MB');
  });

  it('takes an inference reply of a volume, larger than any other reply may be', async () => {
    const voxels = 9 * 2 ** 20;
    const header = JSON.stringify({
      model_name: 'm',
      model_version: '1',
      outputs: [
        { name: 'Y', datatype: 'UINT8', shape: [1, voxels], parameters: { binary_data_size: voxels } },
      ],
    });
    const client = await faultyServer((_request, response) => {
      response.setHeader('Inference-Header-Content-Length', String(header.length));
      response.end(Buffer.concat([Buffer.from(header), Buffer.alloc(voxels, 3)]));
    });
    const reply = await client.infer({ modelName: 'm', inputs: [] }, { timeoutMs: 60_000 });
    expect(reply.outputs.map(({ name, shape }) => [name, shape])).toEqual([['Y', [1, voxels]]]);
  });

  it('does not wait for ever, neither for headers nor for the body', async () => {
    const silent = await faultyServer(() => undefined, 300);
    const error = await rejection(silent.serverReady());
    expect([error.code, error.message]).toEqual(['server-unreachable', expect.stringContaining('0.3 s')]);
    server?.closeAllConnections();
    const stuck = await faultyServer((_request, response) => {
      response.write('{');
    }, 300);
    expect((await rejection(stuck.serverMetadata())).code).toBe('server-unreachable');
  });

  it('says cancelled when it was cancelled', async () => {
    const client = await faultyServer(() => undefined);
    const cancel = new AbortController();
    const call = rejection(client.serverReady({ timeoutMs: 60_000, signal: cancel.signal }));
    cancel.abort();
    expect((await call).code).toBe('cancelled');
  });

  it.each([
    ['garbage', '<html>hello</html>'],
    ['other JSON', '{"hello": 1}'],
    ['nothing', ''],
  ])('does not take %s for a Triton', async (_what, body) => {
    const client = await faultyServer((_request, response) => response.end(body));
    expect((await rejection(client.serverMetadata())).code).toBe('server-unreachable');
    expect((await rejection(client.modelStatistics('m'))).code).toBe('server-unreachable');
    expect((await rejection(client.infer({ modelName: 'm', inputs: [] }))).code).toBe('inference-failed');
  });

  it('names nobody at the address', async () => {
    const client = await faultyServer(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    const error = await rejection(client.serverReady());
    expect([error.code, error.message]).toEqual([
      'server-unreachable',
      expect.stringMatching(/: connection refused \(ECONNREFUSED 127\.0\.0\.1:\d+\)$/),
    ]);
  });

  it('passes on the reason of a refusal and treats names as text', async () => {
    const paths: (string | undefined)[] = [];
    const client = await faultyServer((request, response) => {
      paths.push(request.url);
      response.writeHead(400).end('{"error":"because"}');
    });
    for (const [action, code] of [
      [() => client.loadModel('../x?y'), 'model-load-failed'],
      [() => client.unloadModel('m'), 'model-load-failed'],
      [() => client.modelMetadata('m'), 'model-not-ready'],
      [() => client.modelConfig('m', '2'), 'model-not-ready'],
      [() => client.infer({ modelName: 'm', inputs: [] }), 'inference-failed'],
    ] as const) {
      const error = await rejection(action());
      expect([error.code, error.details]).toEqual([code, 'because']);
    }
    expect(await client.modelReady('m')).toBe(false);
    expect(paths).toContain('/v2/repository/models/..%2Fx%3Fy/load');
    expect(paths).toContain('/v2/models/m/versions/2/config');
  });
});
