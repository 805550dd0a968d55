import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { loadSentModel } from '../../../main/engine/sent-model';
import { ProtobufReader } from '../../../main/perf/native/grpc/protobuf';
import { modelConfigSchema } from '../../../main/triton/model-config';
import { rejection } from '../../support/rejection';

const servers: Http2Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Answers each call with the status, and keeps what was sent. */
async function answering(status: number, message = '') {
  const calls: { path: string; body: Buffer }[] = [];
  const server = createServer();
  servers.push(server);
  server.on('stream', (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      calls.push({ path: String(headers[':path']), body: Buffer.concat(parts) });
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message) }),
      );
      stream.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { calls, to: { grpcAddress: `127.0.0.1:${(server.address() as AddressInfo).port}`, tls: null } };
}

const config = modelConfigSchema.parse({ name: 'm--ab12cd34-2', maxBatchSize: 8 });
const model = { config, files: [{ path: '1/model.onnx', content: Buffer.alloc(3 * 2 ** 20, 7) }] };

const fieldsOf = (buffer: Buffer): [number: number, content: Buffer][] => {
  const reader = new ProtobufReader().open(buffer, 0, buffer.length);
  const fields: [number, Buffer][] = [];
  while (reader.next()) fields.push([reader.number, buffer.subarray(reader.start, reader.end)]);
  return fields;
};

it('sends the configuration and the files of a model in one gRPC call', async () => {
  const { calls, to } = await answering(0);
  await loadSentModel(to, model, { timeoutMs: 10_000 });
  expect(calls.map(({ path }) => path)).toEqual(['/inference.GRPCInferenceService/RepositoryModelLoad']);
  const body = calls[0]?.body ?? Buffer.alloc(0);
  expect(body.readUInt32BE(1)).toBe(body.length - 5);
  const [name, ...parameters] = fieldsOf(body.subarray(5));
  expect([name?.[0], name?.[1].toString()]).toEqual([2, 'm--ab12cd34-2']);
  const [asked, file] = parameters.map(([, entry]) => fieldsOf(entry));
  expect(asked?.[0]?.[1].toString()).toBe('config');
  const [text] = fieldsOf(asked?.[1]?.[1] ?? Buffer.alloc(0));
  expect([text?.[0], JSON.parse(text?.[1].toString() ?? '')]).toEqual([3, config]);
  expect(file?.[0]?.[1].toString()).toBe('file:1/model.onnx');
  const [bytes] = fieldsOf(file?.[1]?.[1] ?? Buffer.alloc(0));
  expect([bytes?.[0], bytes?.[1].equals(model.files[0]?.content ?? Buffer.alloc(0))]).toEqual([4, true]);
});

it('says why Triton refused it', async () => {
  const { to } = await answering(3, 'no backend "onnx"');
  expect(await rejection(loadSentModel(to, model, { timeoutMs: 10_000 }))).toMatchObject({
    code: 'model-load-failed',
    details: 'no backend "onnx"',
  });
});

it('says that nothing answers, and ends where it is cancelled', async () => {
  const nobody = { grpcAddress: '127.0.0.1:1', tls: null };
  expect(await rejection(loadSentModel(nobody, model, { timeoutMs: 10_000 }))).toMatchObject({
    code: 'server-unreachable',
  });
  const { to } = await answering(0);
  const signal = AbortSignal.abort();
  expect(await rejection(loadSentModel(to, model, { timeoutMs: 10_000, signal }))).toMatchObject({
    code: 'cancelled',
  });
});
