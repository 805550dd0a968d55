import { join } from 'node:path';
import type { DeploymentChange } from '../contract/deployment/deployment-change';
import { invalidInput } from '../contract/errors';
import type { Tracing } from '../contract/measured/trace-setting';
import { endTracing, recordTrace } from '../engine/record-trace';
import { linkedAbort } from '../platform/abort';
import type { StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import { onlyModel } from './placement';

export interface TraceAsked {
  /** Absent: its only model. */
  readonly model?: string;
  readonly requests: number;
  /** How long requests are waited for. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

interface TraceParts {
  readonly tritons: DeploymentTritons;
  readonly closing: AbortSignal;
  /** Journals what is switched on, and that it was put back. */
  readonly begun: (tracing: Tracing) => Promise<unknown>;
  readonly ended: () => Promise<unknown>;
}

/** Traces the next requests that others send. Throws input-invalid where none arrives. @returns folder of the files */
export async function traceDeployment(
  stored: StoredDeployment,
  { model: asked, requests, limitMs, signal }: TraceAsked,
  { tritons, closing, begun, ended }: TraceParts,
): Promise<string> {
  const { deployment, folder } = stored;
  const model = asked ?? onlyModel(deployment);
  if (deployment.models[model] === undefined) {
    const names = Object.keys(deployment.models).join(', ');
    throw invalidInput('--model', `${deployment.id} does not serve ${model}`, `Its models are: ${names}.`);
  }
  const dir = join(folder.dir, 'traces');
  const { controller, dispose } = linkedAbort(closing, ...(signal === undefined ? [] : [signal]));
  try {
    const files = await recordTrace({
      server: await tritons.clientOf(stored),
      traces: tritons.serverOf(stored).traces(deployment, folder),
      ...{ model, requests, dir, limitMs, begun, putBack: ended },
      signal: controller.signal,
    });
    if (files > 0) return dir;
  } finally {
    dispose();
  }
  throw invalidInput(
    deployment.id,
    `No request to ${model} arrived within ${limitMs / 1000} s`,
    'Send requests meanwhile, or wait longer with --for.',
  );
}

/** Puts back what a killed process left switched on. Throws docker-unreachable, host-unreachable, server-unreachable. */
export async function undoTracing(
  stored: StoredDeployment,
  { tracing }: Pick<DeploymentChange, 'tracing'>,
  tritons: DeploymentTritons,
): Promise<void> {
  const { kind } = await tritons.serverOf(stored).readStatus(stored.deployment);
  // Of a server that has ended, its settings have, too.
  if (tracing === undefined || kind === 'failed' || kind === 'stopped') return;
  await endTracing(await tritons.clientOf(stored), tracing);
}
