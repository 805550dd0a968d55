import { isLoopback } from '../contract/address';
import type { Handlers } from '../contract/api';
import { parseRemoteUrl } from '../contract/remote-url';
import type { ServedModel } from '../contract/run/server-plan';
import { planServerLoad } from '../contract/run/server-plan';
import { asSeen, type HostReach } from '../engine/docker-over-ssh/host-reach';
import { assertListening } from '../engine/remote/remote-engine';
import type { Runs } from '../pipeline/runs';
import { createTritonClient, type TritonClient } from '../triton/client';
import { readTls } from '../triton/tls';

/** Milliseconds for each question: a person waits for the answer. */
const askMs = 3000;
const mostModels = 100;
/** Where Triton's metrics are beside its HTTP, by default. */
const metricsOffset = 2;

async function servedModel(
  client: TritonClient,
  name: string,
  versions: readonly string[],
): Promise<ServedModel> {
  const [metadata, { maxBatchSize }] = [await client.modelMetadata(name), await client.modelConfig(name)];
  const dynamicInputs = metadata.inputs
    .map(({ name: input, shape }) => ({ name: input, dims: maxBatchSize > 0 ? shape.slice(1) : shape }))
    .filter(({ dims }) => dims.includes(-1));
  return { name, versions, maxBatchSize, dynamicInputs };
}

/** The window's calls about a Triton that is there already. */
export function createServerCalls(
  runs: Runs,
  reach: Pick<HostReach, 'open'>,
): Pick<Handlers, 'servers.look' | 'servers.measure'> {
  return {
    'servers.look': async ({ url, tls, headers, host }) => {
      const address = parseRemoteUrl(url);
      const { http: there } = address;
      const here = host === undefined ? there : await reach.open(host, there);
      const client = createTritonClient(here, {
        timeoutMs: askMs,
        headers,
        tls: await readTls(address.secure ? (tls ?? {}) : undefined),
      });
      const { version: tritonVersion } = await asSeen(host === undefined ? null : { host, there, here }, () =>
        client.serverMetadata(),
      );
      const versions = new Map<string, string[]>();
      for (const { name, version = '', state } of await client.repositoryIndex()) {
        if (state === 'READY') versions.set(name, [...(versions.get(name) ?? []), version]);
      }
      const found = [...versions];
      const models: ServedModel[] = [];
      for (const [name, of] of found.slice(0, mostModels)) {
        // One that is unloaded just now is none to measure.
        const model = await servedModel(client, name, of).catch(() => null);
        if (model !== null) models.push(model);
      }
      return { tritonVersion, models, more: Math.max(0, found.length - mostModels) };
    },
    'servers.measure': async ({
      url,
      tls,
      host: from,
      headers = [],
      model,
      modelVersion,
      shapes,
      performance,
      p99BudgetMs,
    }) => {
      const { http, grpc, secure } = parseRemoteUrl(url);
      const files = secure ? (tls ?? {}) : null;
      const [host = '', port = ''] = http.split(/:(?=\d+$)/);
      const load = planServerLoad({
        addresses: {
          ...{ http, grpc, httpTls: files, grpcTls: files },
          metrics:
            isLoopback(http) && !secure
              ? { address: `${host}:${Number(port) + metricsOffset}`, path: '/metrics' }
              : null,
        },
        ...(from === undefined ? {} : { host: from }),
        models: [{ name: model, weight: 1 }],
        ...{ modelVersion, shapes, sources: [], given: { performance }, inTurns: true, limits: {} },
        ...(headers.length === 0 ? {} : { headerNames: headers.map(({ name }) => name) }),
      });
      if (load.protocol === 'grpc') {
        await assertListening(from === undefined ? grpc : await reach.open(from, grpc), askMs);
      }
      const runId = await runs.createServer(load, { p99BudgetMs, headers });
      await runs.execute(runId, { headers });
      return { runId };
    },
  };
}
