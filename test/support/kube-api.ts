import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Json = Readonly<Record<string, unknown>>;

/** A Job and its pods as an API server gave them: see test/fixtures/kubernetes/README.md. */
export interface RecordedJob {
  readonly job: Json & { readonly metadata: Json & { readonly name: string } };
  readonly pods: readonly Json[];
}

export async function recordedJob(name: string): Promise<RecordedJob> {
  return JSON.parse(await readFile(`test/fixtures/kubernetes/${name}.json`, 'utf8')) as RecordedJob;
}

export interface KubeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

/** What a server on loopback says for a request; with a status: a refusal; `never`: nothing. */
type Answer = (
  request: KubeRequest,
) => Json | { readonly status: number; readonly message: string } | 'never';

export interface KubeApi {
  /** For the adapter: `KUBECONFIG` leads to the server. */
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Its URL, as the kubeconfig has it. */
  readonly server: string;
  readonly requests: readonly KubeRequest[];
  /** By "METHOD /path"; what has none is refused as not found. */
  readonly answers: Map<string, Answer>;
  stop(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const statusOf = (code: number, message: string): Json => ({
  ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code },
});

/** The URLs of an API server, which answers with what a test gives it; it has no state of its own. */
export async function startKubeApi(): Promise<KubeApi> {
  const requests: KubeRequest[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((incoming, response) => {
    void textOf(incoming).then((text) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://api.test');
      const request: KubeRequest = {
        method: incoming.method ?? '',
        path: pathname,
        query: Object.fromEntries(searchParams),
        body: text === '' ? null : (JSON.parse(text) as unknown),
        authorization: incoming.headers.authorization,
      };
      requests.push(request);
      const found = answers.get(`${request.method} ${pathname}`)?.(request) ?? {
        status: 404,
        message: `${pathname} not found`,
      };
      if (found === 'never') return;
      const isRefusal = typeof found['status'] === 'number';
      const body = isRefusal ? statusOf(found['status'], String(found['message'])) : found;
      response.writeHead(isRefusal ? found['status'] : 200, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const home = await mkdtemp(join(tmpdir(), 'twb-kube-'));
  const url = `http://127.0.0.1:${port}`;
  const config = join(home, 'config');
  const context = (name: string, namespace: string) => ({
    ...{ name, context: { cluster: 'test', user: 'test', namespace } },
  });
  await writeFile(
    config,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
      clusters: [{ name: 'test', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'test', user: { token: 'a-token' } }],
      contexts: [context('test', 'ml'), context('other', 'vision')],
    }),
  );
  return {
    ...{ env: { KUBECONFIG: config, HOME: home }, home, server: url, requests, answers },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A list as the API has it. */
export const listOf = (kind: string, items: readonly Json[]): Json => ({
  ...{ apiVersion: 'v1', kind, metadata: { resourceVersion: '1' }, items },
});
