import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Deployment } from '../contract/deployment/deployment';
import { toWire, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { DeploymentPaths, DeploymentServer } from '../engine/engine';
import { exists, makeFolder, writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { readPlainText } from '../platform/plain-entry';
import { linkRepository, type RepositoryVersion } from './deployed-repository';
import type { DeploymentFolder, StoredDeployment } from './deployment-store';
import { untilAnswering } from './observe';
import { choosePorts } from './placement';

/** Written before it starts, for whoever finds it after a kill. */
const recordSchema = z.strictObject({
  ports: z.strictObject({ http: z.int(), grpc: z.int(), metrics: z.int() }),
  process: z.strictObject({ id: z.string() }).nullable(),
});
type ApartRecord = z.infer<typeof recordSchema>;

interface ApartPaths extends DeploymentPaths {
  readonly record: string;
}

function pathsOf({ dir: of }: DeploymentFolder): ApartPaths {
  const dir = join(of, 'check');
  return {
    ...{ dir, repository: join(dir, 'models'), log: join(dir, 'triton.log') },
    record: join(dir, 'server.json'),
  };
}

/** No name of a deployment has a dot. */
const apartOf = ({ deployment }: StoredDeployment, record: ApartRecord): Deployment => ({
  ...deployment,
  ...{ id: `${deployment.id}.check`, models: {}, wanted: true },
  ...record,
});

async function readRecord({ record }: ApartPaths): Promise<ApartRecord | null> {
  const text = await readPlainText(record, fileLimits.stepJson.bytes).catch(() => null);
  return text === null ? null : (recordSchema.safeParse(jsonOrNull(text)).data ?? null);
}

/** Ends what a change left that was killed. Throws what its engine throws. */
export async function endApart(stored: StoredDeployment, server: DeploymentServer): Promise<void> {
  const paths = pathsOf(stored.folder);
  if (!(await exists(paths.dir))) return;
  const record = await readRecord(paths);
  if (record !== null) await server.remove(apartOf(stored, record), paths);
  await rm(paths.dir, { recursive: true, force: true });
}

/**
 * Serves a version of a repository on a Triton of its own, beside that of the deployment: its models, and code that calls
 * them, need the names that are taken there. Throws what starting Triton throws, and what the work throws.
 */
export async function onTritonApart<Value>(
  stored: StoredDeployment,
  server: DeploymentServer,
  { version, signal }: { readonly version: RepositoryVersion; readonly signal: AbortSignal },
  /** @param readyUs how long its start took */
  work: (apart: Deployment, readyUs: number) => Promise<Value>,
): Promise<Value> {
  await endApart(stored, server);
  const paths = pathsOf(stored.folder);
  await makeFolder(paths.repository);
  await linkRepository(stored.folder, version, paths.repository);
  const { engine, ports: taken } = stored.deployment;
  const anyPorts = { http: undefined, grpc: undefined, metrics: undefined };
  const ports = await choosePorts(anyPorts, new Set(Object.values(taken)), await server.busyPorts(engine));
  let record: ApartRecord = { ports, process: null };
  const keep = () => writeFileAtomic(paths.record, `${JSON.stringify(record)}\n`);
  try {
    await keep();
    await server.sync(apartOf(stored, record), paths, signal);
    const began = performance.now();
    await server.start(apartOf(stored, record), paths, {
      signal,
      note: async (body) => {
        if (body.type !== 'server-process') return;
        record = { ports, process: { id: body.id } };
        await keep();
      },
    });
    const apart = apartOf(stored, record);
    await untilAnswering(apart, server, signal);
    return await work(apart, Math.round((performance.now() - began) * 1000));
  } catch (error) {
    throw await withLog(error, () => server.log(apartOf(stored, record), paths, 40));
  } finally {
    // Where its engine is away, the next change ends it.
    await endApart(stored, server).catch(() => undefined);
  }
}

/** Adds the last lines of Triton, if missing: the log goes with it. */
async function withLog(error: unknown, log: () => Promise<readonly string[]>): Promise<unknown> {
  const { code, message, where, remedy, details } = toWire(error);
  if (code === 'cancelled' || details !== undefined) return error;
  const lines = await log().catch(() => []);
  if (lines.length === 0) return error;
  return new WorkbenchError(code, message, { where, remedy, cause: error, details: lines.join('\n') });
}
