import { createServer } from 'node:net';
import { type Deployment, type DeploymentEngine, deploymentIdPattern } from '../contract/deployment';
import { invalidInput, toWire, WorkbenchError } from '../contract/errors';
import { isJobEngine } from '../contract/job/run-job';
import { inContainers, isProcess } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import type { DeploymentStore } from './deployment-store';

/** Triton's own, where they are free. */
const usualPorts = { http: 8000, grpc: 8001, metrics: 8002 } as const;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '0.0.0.0', port, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });

const portWords = { http: 'HTTP', grpc: 'gRPC', metrics: 'metrics' } as const;

/** Those that were asked for. Throws input-invalid for one that is asked for twice: only one can listen there. */
function portsAskedFor(wanted: { readonly [Port in keyof Deployment['ports']]: number | undefined }) {
  const given = new Map<number, keyof Deployment['ports']>();
  for (const port of ['http', 'grpc', 'metrics'] as const) {
    const number = wanted[port];
    if (number === undefined) continue;
    const other = given.get(number);
    if (other !== undefined) {
      throw new WorkbenchError(
        'input-invalid',
        `Port ${number} cannot be used for both ${portWords[other]} and ${portWords[port]}`,
        { where: `${port}Port`, remedy: 'Name different ports, or leave one out.' },
      );
    }
    given.set(number, port);
  }
  return given.keys();
}

/**
 * Fixed from now on: the usual ones, or of each the next in steps of ten that nobody has and no deployment was given.
 * Throws input-invalid for one that is asked for twice.
 * @param busy those that somebody has on another machine; null: it is this one, where they are tried
 */
export async function choosePorts(
  wanted: { readonly [Port in keyof Deployment['ports']]: number | undefined },
  taken: ReadonlySet<number>,
  busy: ReadonlySet<number> | null = null,
): Promise<Deployment['ports']> {
  // One that is asked for is not also given to another interface.
  const given = new Set([...taken, ...portsAskedFor(wanted)]);
  const next = async (usual: number): Promise<number> => {
    for (let port = usual; port < 65_000; port += 10) {
      if (given.has(port) || !(busy === null ? await isFree(port) : !busy.has(port))) continue;
      given.add(port);
      return port;
    }
    throw new WorkbenchError('port-taken', `No port from ${usual} on is free`);
  };
  return {
    http: wanted.http ?? (await next(usualPorts.http)),
    grpc: wanted.grpc ?? (await next(usualPorts.grpc)),
    metrics: wanted.metrics ?? (await next(usualPorts.metrics)),
  };
}

/** "resnet50" for ResNet50; a number behind it where the name is given already. */
export function freeName(model: string, ids: readonly string[]): string {
  const plain = model
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  const base = plain === '' ? 'model' : plain;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!ids.includes(name)) return name;
  }
}

/** Throws combination-unsupported where the model was verified on something else than what the deployment serves with. */
export function requireSameEngine(id: string, has: DeploymentEngine, wanted: DeploymentEngine): void {
  const words = (engine: DeploymentEngine) =>
    inContainers(engine)
      ? `the image ${engine.image}${engine.host === undefined ? '' : ` on the host ${engine.host}`}`
      : `the local Triton with ${engine.framework === 'tf' ? 'TensorFlow' : 'PyTorch'}`;
  const same = inContainers(has)
    ? inContainers(wanted) && has.imageId === wanted.imageId && has.host === wanted.host
    : isProcess(wanted) && has.framework === wanted.framework;
  if (same) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `${id} serves with ${words(has)}, but the run was verified on ${words(wanted)}`,
    { where: 'to', remedy: 'Deploy the run as a deployment of its own.' },
  );
}

/** Throws deployment-unknown where there is nothing to update, with how a new one is made. */
export async function requireTarget(store: Pick<DeploymentStore, 'load'>, id: string): Promise<void> {
  try {
    await store.load(id);
  } catch (error) {
    const { code, message } = toWire(error);
    if (code !== 'deployment-unknown') throw error;
    const named = deploymentIdPattern.test(id) ? `, or use --name ${id},` : '';
    throw new WorkbenchError(code, message, {
      where: 'to',
      remedy: `Leave out --to${named} to make a new deployment. "deployments list" shows those that exist.`,
    });
  }
}

/** Throws input-invalid for a run whose model was served on a node of a cluster: no deployment can stay there. */
export function requireServable(runId: string, engine: RunSpec['engine']): void {
  if (!isJobEngine(engine)) return;
  throw new WorkbenchError(
    'input-invalid',
    `${runId} cannot be deployed here: it ran on a node of the cluster`,
    {
      where: runId,
      remedy: `Run it on this machine or a host, or take it to that one: "bundle ${runId} --out DIR".`,
    },
  );
}

/** Throws input-invalid where a deployment has several. */
export function onlyModel({ id, models }: Deployment): string {
  const [first, ...others] = Object.keys(models);
  if (first !== undefined && others.length === 0) return first;
  throw invalidInput('--model', `${id} serves ${Object.keys(models).join(', ')}`, 'Name the model.');
}
