import { asksOpenai } from '../../../contract/load/generation';
import { present } from '../../../contract/trees';
import { createTritonClient, type TritonClient } from '../../../triton/client';
import { composingModels, type Counters, createCounters, type Ensemble } from '../../../triton/model-traits';
import { recognizeServer, type ServerTraits } from '../../../triton/open-inference';
import { readTls } from '../../../triton/tls';
import type { MeasureInput } from '../../load-tool';
import type { LoadJob } from '../seam/load-job';
import { httpVersionOf, readJob, readOutputChecks } from './load-session';

interface LoadedServer {
  readonly client: TritonClient;
  /** null: OpenAI's protocol, which says nothing of it. */
  readonly traits: ServerTraits | null;
}

/** Throws errors of the client. */
export async function serverOf({
  httpAddress,
  httpTls,
  headers,
  settings,
  signal,
}: MeasureInput): Promise<LoadedServer> {
  const client = createTritonClient(httpAddress, { tls: await readTls(httpTls), headers });
  return asksOpenai(settings) ? { client, traits: null } : recognizeServer(client, { signal });
}

/** The job without shared memory. Throws as {@link readJob} and {@link readOutputChecks}. */
export async function plainJob({ client, traits }: LoadedServer, input: MeasureInput): Promise<LoadJob> {
  const job = await readJob(input);
  const isJson = input.protocol === 'http' && traits?.binaryTensors === false;
  return {
    ...job,
    ...(isJson ? { json: true } : {}),
    ...present({ httpVersion: await httpVersionOf(job, input) }),
    outputChecks: await readOutputChecks(client, input),
  };
}

function modelsWithin(client: TritonClient, input: MeasureInput): Promise<Ensemble> {
  const { modelName: name, modelVersion: version, settings, signal } = input;
  return composingModels(
    client,
    { name, version, ...present({ blsModels: settings.blsModels }) },
    { signal },
  );
}

/** What the server counts of a level: of OpenAI's protocol nothing. Throws as {@link composingModels}. */
export async function countedServer({ client, traits }: LoadedServer, input: MeasureInput) {
  if (traits === null) {
    const nothing = (): Promise<Counters> => Promise.resolve({ own: [], composing: [] });
    return { uncounted: true, ensemble: { steps: [], models: [] }, countersFor: () => nothing };
  }
  const ensemble = await modelsWithin(client, input);
  return {
    uncounted: !traits.statistics,
    ensemble,
    countersFor: (until: AbortSignal) => createCounters(client, input, ensemble.models, until),
  };
}
