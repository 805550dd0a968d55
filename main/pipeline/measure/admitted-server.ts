import { rm } from 'node:fs/promises';
import type { RequestHeader } from '../../contract/address';
import { asksOpenai } from '../../contract/load/generation';
import type { Environment } from '../../contract/measured/results';
import type { ServerLoad } from '../../contract/run/server-load';
import { requireLoad } from '../../domain/run/load-rules';
import { otherServerFindings, serverLoadFindings } from '../../domain/run/server-rules';
import type { InputReaders } from '../../perf/input/input-readers';
import { makeFolder, makeTemporaryFolder } from '../../platform/files';
import { createTritonClient, type TritonClient } from '../../triton/client';
import { recognizeServer, type ServerTraits } from '../../triton/open-inference';
import { readTls } from '../../triton/tls';
import { readModels } from './prompt-models';
import { checkKinds } from './server-models';

/** Local `host:port` addresses. */
export interface ReachedServer {
  readonly http: string;
  /** null: unknown. */
  readonly metrics: string | null;
}

interface AdmittedServer {
  readonly client: TritonClient;
  /** null: an OpenAI frontend, which says nothing of it. */
  readonly traits: ServerTraits | null;
  /** Names of the decoupled models. */
  readonly decoupled: ReadonlySet<string>;
}

/** Client and decoupled models of a server. Throws errors of the client, combination-unsupported and input-invalid. */
export async function admittedServer(
  load: ServerLoad,
  { via }: { readonly via?: ReachedServer | undefined },
  headers: readonly RequestHeader[],
): Promise<AdmittedServer> {
  requireLoad(serverLoadFindings({ ...load, headerNames: headers.map(({ name }) => name) }));
  const client = createTritonClient(via?.http ?? load.addresses.http, {
    tls: await readTls(load.addresses.httpTls),
    headers,
  });
  if (asksOpenai(load.settings)) return { client, traits: null, decoupled: new Set() };
  const server = await recognizeServer(client);
  requireLoad(otherServerFindings(load, server.traits));
  return { ...server, decoupled: await checkKinds(server.client, load) };
}

/** A given folder is made anew; it is removed afterwards. */
export async function withFolder<Result>(
  given: string | undefined,
  work: (dir: string) => Promise<Result>,
): Promise<Result> {
  const dir = given ?? (await makeTemporaryFolder('triton-workbench-perf-', 'file-unwritable'));
  try {
    if (given !== undefined) {
      // Left by an interrupted attempt.
      await rm(given, { recursive: true, force: true });
      await makeFolder(given);
    }
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Whether the server accepts the load, without sending it. Throws as {@link admittedServer}, and input-invalid. */
export async function inspectServer(
  load: ServerLoad,
  { readers, via }: { readonly readers: InputReaders; readonly via?: ReachedServer | undefined },
  headers: readonly RequestHeader[],
): Promise<Pick<Environment, 'tritonVersion' | 'server'>> {
  const { client, traits } = await admittedServer(load, { via }, headers);
  await withFolder(undefined, (dir) => readModels(client, load, { dir, readers }));
  if (traits === null) return { tritonVersion: null };
  return traits.title === null
    ? { tritonVersion: traits.version }
    : { tritonVersion: null, server: traits.title };
}
