import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createGrpc } from 'node:http2';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ServerHandle } from '../../../../main/engine/engine';
import {
  loadedNames,
  loadVariant,
  servedAsIs,
  type Variant,
  writeVariant,
} from '../../../../main/studies/search/variant';
import { createTritonClient } from '../../../../main/triton/client';
import { modelConfigSchema } from '../../../../main/triton/model-config';

async function made(textOf: (name: string) => string | null) {
  const dir = await mkdtemp(join(tmpdir(), 'twb-variant-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const folder = join(dir, 'run');
  for (const [path, text] of [
    ['m/config.pbtxt', '# by hand\n'],
    ['m/1/model.py', 'code'],
    ['m/labels.txt', 'cat\n'],
    ['called/1/model.py', 'called'],
  ] as const) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const variant: Variant = {
    ...{ name: 'm', files: join(folder, 'm', '1'), version: 1 },
    check: { canary: [], anyValues: true, atol: {}, rtol: {}, maxMismatch: {} },
    configOf: (name) => modelConfigSchema.parse({ name }),
    own: { folder, others: ['called'], with: ['called'], textOf },
  };
  return { variant, folder, repository: join(dir, 'repository') };
}

it('writes the folder of a repository’s model under another name, and once those beside it', async () => {
  const { variant, folder, repository } = await made((name) => `# ${name}\n`);
  for (const name of ['m', 'm--2', 'm--2']) await writeVariant(variant, repository, variant.configOf(name));
  expect((await readdir(repository)).sort()).toEqual(['called', 'm', 'm--2']);
  expect((await readdir(join(repository, 'm--2'))).sort()).toEqual(['1', 'config.pbtxt', 'labels.txt']);
  expect(await readFile(join(repository, 'm--2', 'config.pbtxt'), 'utf8')).toBe('# m--2\n');
  // The run keeps its own.
  expect(await readFile(join(folder, 'm', 'config.pbtxt'), 'utf8')).toBe('# by hand\n');
  expect(servedAsIs([variant])).toBe(true);
  expect(servedAsIs([])).toBeUndefined();
});

/** A Triton that has no model at first, and takes each that is sent. @returns what was sent, by name */
async function emptyTriton() {
  const sent = new Map<string, string>();
  const grpc = createGrpc();
  grpc.on('stream', (stream) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const text = Buffer.concat(parts).toString('latin1');
      sent.set(/"name":"([^"]+)"/.exec(text)?.[1] ?? '', text);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end();
    });
  });
  const http = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const [, name = '', asked] = /models\/([^/]+)\/.*?(ready|infer)$/.exec(request.url ?? '') ?? [];
      const isThere = asked === 'ready' && sent.has(name);
      response.writeHead(isThere ? 200 : 400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isThere ? {} : { error: 'zeros' }));
    });
  });
  const addresses = await Promise.all(
    [grpc, http].map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const place = server.address();
      return `127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`;
    }),
  );
  const [grpcAddress = '', httpAddress = ''] = addresses;
  const server = { grpcAddress, httpAddress, forClients: {} } as unknown as ServerHandle;
  return { server, sent, client: createTritonClient(httpAddress) };
}

it('is sent with its files to a server that reads no folder, after the models beside it', async () => {
  const { variant } = await made((name) => `name: "${name}" backend: "python" max_batch_size: 4`);
  const { server, sent, client } = await emptyTriton();
  for (const name of ['m', 'm--2']) {
    const input = { client, variant, config: variant.configOf(name), signal: AbortSignal.timeout(60_000) };
    await loadVariant(input, server);
  }
  // What both share is sent once.
  expect([...sent.keys()]).toEqual(['called', 'm', 'm--2']);
  const own = sent.get('m--2') ?? '';
  for (const part of ['file:1/model.py', 'file:labels.txt', '"maxBatchSize":4', '"backend":"python"']) {
    expect(own).toContain(part);
  }
  expect(own).not.toContain('file:config.pbtxt');
  expect(sent.get('called')).toContain('file:1/model.py');
});

it('writes the model of an ensemble whose fields are changed under a name of its own', async () => {
  const { variant, repository } = await made((name) => `# ${name}\n`);
  const part = {
    ...{ name: 'called', nameIn: (name: string) => `called--of-${name}` },
    textOf: (name: string) => `# changed ${name}\n`,
  };
  const own = variant.own === undefined ? undefined : { ...variant.own, part };
  const ofPart: Variant = { ...variant, ...(own === undefined ? {} : { own }) };
  await writeVariant(ofPart, repository, ofPart.configOf('m--2'));
  expect((await readdir(repository)).sort()).toEqual(['called', 'called--of-m--2', 'm--2']);
  const changed = await readFile(join(repository, 'called--of-m--2', 'config.pbtxt'), 'utf8');
  expect(changed).toBe('# changed called--of-m--2\n');
  expect(await readdir(join(repository, 'called'))).toEqual(['1']);
  expect(loadedNames(ofPart, 'm--2')).toEqual(['m--2', 'called--of-m--2']);
  expect(loadedNames(variant, 'm--2')).toEqual(['m--2']);
});
