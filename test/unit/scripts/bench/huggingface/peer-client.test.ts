import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { classify, load, plainPeer, tritonPeer } from '../../../../../scripts/bench/huggingface/peer-client';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

interface Asked {
  readonly path: string;
  readonly body: string;
  readonly socket: IncomingMessage['socket'];
}

/** A server of one answer per body. @returns its port, and what it was asked */
async function serve(answerOf: (body: string) => { status?: number; answer: unknown }) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      asked.push({ path: request.url ?? '', body, socket: request.socket });
      const { status = 200, answer } = answerOf(body);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked };
}

it('asks Triton with tensors, and the plain server with a text', async () => {
  const triton = await serve(() => ({
    answer: {
      outputs: [
        { name: 'SCORE', data: [0.5] },
        { name: 'LABEL', data: ['A'] },
      ],
    },
  }));
  const pipeline = tritonPeer(`http://127.0.0.1:${triton.port}`, 'm');
  expect(await classify(pipeline, ['naïve café'])).toEqual([{ label: 'A', score: 0.5 }]);
  expect(triton.asked[0]?.path).toBe('/v2/models/m/infer');
  expect(JSON.parse(triton.asked[0]?.body ?? '')).toMatchObject({
    inputs: [{ name: 'TEXT', shape: [1, 1], datatype: 'BYTES', data: ['naïve café'] }],
  });
  const plain = await serve((body) => ({ answer: { label: body, score: 1 } }));
  expect(await classify(plainPeer(plain.port), ['ok', ''])).toEqual([
    { label: '{"text":"ok"}', score: 1 },
    { label: '{"text":""}', score: 1 },
  ]);
});

it('keeps as many connections as there are clients, and counts labels that are other ones', async () => {
  const { port, asked } = await serve((body) => ({
    answer: { label: body.includes('wrong') ? 'B' : 'A', score: 1 },
  }));
  const samples = ['right', 'wrong'].map((text) => ({ text, label: 'A' }));
  const level = { concurrency: 3, warmUpMs: 0, windowMs: 200 };
  const found = await load(plainPeer(port), samples, level, new AbortController().signal);
  expect(new Set(asked.map(({ socket }) => socket)).size).toBe(3);
  expect(found.otherLabels).toBe(asked.filter(({ body }) => body.includes('wrong')).length);
  // Those that ended behind the window do not count: one of each client at most.
  expect(asked.length - found.requests).toBeLessThanOrEqual(3);
  expect(found.requestsPerSecond).toBeCloseTo(found.requests / 0.2);
  expect(found.p99Ms).toBeGreaterThan(0);
});

it('ends with what a server refuses, and when it is stopped', async () => {
  const { port } = await serve(() => ({ status: 400, answer: { error: 'no text' } }));
  await expect(classify(plainPeer(port), ['x'])).rejects.toThrow('answered 400: {"error":"no text"}');
  const stopped = AbortSignal.abort(new Error('Interrupted'));
  const level = { concurrency: 1, warmUpMs: 0, windowMs: 1000 };
  const samples = [{ text: 'x', label: 'A' }];
  await expect(load(plainPeer(port), samples, level, stopped)).rejects.toThrow('Interrupted');
});
