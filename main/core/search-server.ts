import { randomBytes } from 'node:crypto';
import { parseRemoteUrl } from '../contract/address';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { RunSpec } from '../contract/run/run-spec';
import type { SearchRequest, SearchServer } from '../contract/study/search';
import type { Study } from '../contract/study/study';
import { present } from '../contract/trees';
import { metricsBeside } from '../domain/run/server-plan';
import { searchOf } from '../domain/study/search/search-study';
import { openReady } from '../engine/remote/remote-triton';
import { readServerRoom } from '../engine/server-memory';
import { unloadMarked } from '../studies/search/running-triton';
import { engineAt } from './contests';
import type { CoreParts } from './core-parts';
import { requireApproved } from './core-runs';

/** Milliseconds per request: a user is waiting. */
const askMs = 5000;

export interface SearchedServer {
  readonly server: SearchServer;
  /** What will be done there. */
  readonly note: string;
}

/**
 * Asks a running Triton whether a search may load its configurations there; loads nothing. Throws not-trusted for another
 * machine without consent, input-invalid, server-unreachable, combination-unsupported where it is not in explicit mode or does
 * not report its memory.
 */
export async function searchedServer(
  { approvals }: Pick<CoreParts, 'approvals'>,
  spec: RunSpec,
  { url, tls, metrics: given }: NonNullable<SearchRequest['server']>,
): Promise<SearchedServer> {
  const engine = engineAt({ url, tls });
  const metrics = given ?? metricsBeside(parseRemoteUrl(url))?.address;
  if (metrics === undefined) {
    const message =
      'What memory the server has left is read from its metrics, and their address is not known';
    throw invalidInput('--metrics-url', message, 'Give it, for example --metrics-url HOST:8002.');
  }
  await requireApproved(approvals, { ...spec, engine });
  const { client, version, address } = await openReady(engine, askMs);
  const mark = randomBytes(4).toString('hex');
  await unloadMarked(client, mark, 0);
  const { hostBytes } = await readServerRoom({ metricsAddress: metrics });
  if (hostBytes === null) {
    throw new WorkbenchError(
      'combination-unsupported',
      `Triton at ${address.http} does not report the memory of its machine at ${metrics}, so that nothing can be loaded there safely`,
      {
        where: '--metrics-url',
        remedy: 'Give the address of its metrics, or start it with --allow-metrics=true.',
      },
    );
  }
  const names = new Set(
    (await client.repositoryIndex()).filter(({ state }) => state === 'READY').map(({ name }) => name),
  );
  const beside = `beside its ${names.size} ${names.size === 1 ? 'model' : 'models'}`;
  return {
    server: { url: engine.url, ...present({ tls }), metrics, mark },
    note: `Served by Triton ${version} at ${address.http}, ${beside}: each configuration is loaded there by a call, under a name with ${mark}, and unloaded at the end.`,
  };
}

/** Unloads what a search left on a running Triton, as one that was killed does. Throws as {@link unloadMarked}. */
export async function leaveServer(study: Study): Promise<void> {
  const { server, candidates = [] } = searchOf(study) ?? {};
  if (server === undefined || study.outcome === 'done') return;
  const { client } = await openReady(engineAt(server), askMs);
  await unloadMarked(client, server.mark, candidates.length);
}
