import { randomBytes } from 'node:crypto';
import { parseRemoteUrl } from '../../contract/address';
import { fromWire, invalidInput, toWire, WorkbenchError } from '../../contract/errors';
import type { RunSpec } from '../../contract/run/run-spec';
import type { SearchRequest, SearchServer } from '../../contract/study/search';
import type { Study } from '../../contract/study/study';
import { present } from '../../contract/trees';
import { metricsBeside } from '../../domain/run/server-plan';
import { duelOf } from '../../domain/study/duel/duel-study';
import type { BeforeLoad } from '../../domain/study/load-question';
import { searchOf } from '../../domain/study/search/search-study';
import { openReady } from '../../engine/remote/remote-triton';
import { readServerRoom } from '../../engine/server-memory';
import { cleanLine, shortText } from '../../platform/lines';
import { unloadMarked } from '../../studies/search/running-triton';
import type { CoreParts } from '../core-parts';
import { requireApproved } from '../core-runs';
import { engineAt } from './contests';

/** Milliseconds per request: a user is waiting. */
const askMs = 5000;

export interface SearchedServer {
  readonly server: SearchServer;
  /** What will be done there. */
  readonly note: string;
  readonly before: BeforeLoad;
}

/** Its errors name the option of the address. */
async function atUrl<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const wire = toWire(cause);
    throw wire.code === 'cancelled' ? cause : fromWire({ ...wire, where: '--url' });
  }
}

/**
 * Asks a running Triton whether configurations may be loaded there; loads nothing. Throws not-trusted for another machine
 * without consent, and with `where` of the option: input-invalid, server-unreachable, combination-unsupported where it is not
 * in explicit mode or does not report its memory.
 */
export async function searchedServer(
  { approvals }: Pick<CoreParts, 'approvals'>,
  spec: RunSpec,
  { url, tls, metrics: given }: NonNullable<SearchRequest['server']>,
): Promise<SearchedServer> {
  const engine = engineAt({ url, tls });
  const known = await atUrl(() => Promise.resolve(metricsBeside(parseRemoteUrl(url))));
  const metrics = given ?? known?.address;
  if (metrics === undefined) {
    const message = 'The free memory of the server is read from its metrics, whose address is not known';
    throw invalidInput('--metrics-url', message, 'Give the address, for example --metrics-url HOST:8002.');
  }
  await requireApproved(approvals, { ...spec, engine });
  const mark = randomBytes(4).toString('hex');
  const { client, version, address } = await atUrl(async () => {
    const opened = await openReady(engine, askMs);
    await unloadMarked(opened.client, mark, 0);
    return opened;
  });
  const room = await readServerRoom({ metricsAddress: metrics });
  if (room.hostBytes === null) {
    throw new WorkbenchError(
      'combination-unsupported',
      `Triton at ${address.http} does not report the memory of its machine at ${metrics}, so models cannot be loaded there safely`,
      {
        where: '--metrics-url',
        remedy: 'Give the address of its metrics, or start it with --allow-metrics=true.',
      },
    );
  }
  const index = await client.repositoryIndex();
  const ready = index.filter(({ state }) => state === 'READY').map(({ name }) => shortText(cleanLine(name)));
  const models = [...new Set(ready)];
  const beside = `beside its ${models.length} ${models.length === 1 ? 'model' : 'models'}`;
  return {
    server: { url: engine.url, ...present({ tls }), metrics, mark },
    note: `Served by Triton ${version} at ${address.http}, ${beside}: each configuration is loaded there by a call, under a name with ${mark}, and unloaded at the end.`,
    before: { address: address.http, tritonVersion: version, models, room, mark },
  };
}

/** Unloads what a search or a comparison left on a running Triton, as one that was killed does. Throws as {@link unloadMarked}. */
export async function leaveServer(study: Study): Promise<void> {
  const server = searchOf(study)?.server ?? duelOf(study)?.server;
  const candidates = searchOf(study)?.candidates ?? duelOf(study)?.sides ?? [];
  if (server === undefined || study.outcome === 'done') return;
  const { client } = await openReady(engineAt(server), askMs);
  await unloadMarked(client, server.mark, candidates.length);
}
