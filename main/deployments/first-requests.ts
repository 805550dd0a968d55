import { toWire } from '../contract/errors';
import type { ColdStart } from '../contract/measured/cold-start';
import { answeredInOrder, coldRequests, firstOf, timedUs } from '../engine/cold-start';
import { askOnce, loadTimeoutMs, withDriverRemedy, zeroCanary } from '../engine/serving';
import { warmUpSizesOf } from '../formats/warm-up';
import { hashValue } from '../platform/files';
import type { TritonClient } from '../triton/client';
import type { ModelConfig } from '../triton/model-config';
import type { DeployableRun } from './deployable-run';
import { canaryOf } from './version-check';

interface FirstLoad {
  readonly client: TritonClient;
  /** Under the name by which it is asked. */
  readonly config: ModelConfig;
  /** Of Triton. */
  readonly version: number;
  /** For models that answer over a stream only. */
  readonly grpcAddress: string | undefined;
  /** From the start of its Triton until it answered; null: Triton serves already, and the model is loaded now. */
  readonly readyUs: number | null;
  readonly signal: AbortSignal;
}

/** What the first load of a version takes, and its first requests, before it is checked. Throws model-load-failed. */
export async function recordFirstLoad(
  { check, sizes, steady }: Pick<DeployableRun, 'check' | 'sizes' | 'steady'>,
  { client, config, version, grpcAddress, readyUs, signal }: FirstLoad,
): Promise<ColdStart> {
  const modelName = config.name;
  const load = () =>
    client.loadModel(modelName, { timeoutMs: loadTimeoutMs, signal }).catch((error: unknown) => {
      throw withDriverRemedy(error);
    });
  const loadUs = readyUs === null ? await timedUs(load) : null;
  const known = {
    key: hashValue([modelName, version, sizes]).slice(0, 32),
    ...({ loads: 'shared', startUs: null, loadUs, readyUs } as const),
    steady: [...steady],
    warmUp: warmUpSizesOf(config),
  };
  try {
    const row = canaryOf(check) ?? zeroCanary(config);
    const grpc = grpcAddress === undefined ? undefined : { address: grpcAddress, tls: null };
    const to = { client, config, grpc, modelName, modelVersion: String(version), signal };
    const requests = await answeredInOrder(coldRequests([{ row }], sizes, config), {
      send: (inputs) => askOnce(to, inputs),
    });
    return { ...known, requests: requests.map(firstOf) };
  } catch (error) {
    // The check says what is wrong with the version.
    return { ...known, requests: [], reason: toWire(error).message };
  }
}
