import { createServer } from 'node:net';
import {
  type Deployment,
  type DeploymentEngine,
  deploymentIdPattern,
} from '../contract/deployment/deployment';
import { invalidInput, toWire, WorkbenchError } from '../contract/errors';
import { isJobEngine } from '../contract/job/run-job';
import { inContainers, isProcess } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import { sameValue } from '../contract/trees';
import type { DeploymentStore } from './deployment-store';

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

/** Requested ports. Throws input-invalid for duplicates. */
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
 * Requested ports, or the defaults increased in steps of ten until free. Throws input-invalid for duplicates.
 * @param busy ports in use on another machine; null: probed locally
 */
export async function choosePorts(
  wanted: { readonly [Port in keyof Deployment['ports']]: number | undefined },
  taken: ReadonlySet<number>,
  busy: ReadonlySet<number> | null = null,
): Promise<Deployment['ports']> {
  // Requested ports are not given to other interfaces.
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

/** "resnet50" for ResNet50, with a number if taken. */
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

/** Throws combination-unsupported if the model was verified on another engine. */
export function requireSameEngine(id: string, has: DeploymentEngine, wanted: DeploymentEngine): void {
  const words = (engine: DeploymentEngine) =>
    inContainers(engine)
      ? `the image ${engine.image}${engine.host === undefined ? '' : ` on the host ${engine.host}`}`
      : `the ${engine.environment === undefined ? 'local Triton' : `Triton in ${engine.environment}`} with ${engine.framework === 'tf' ? 'TensorFlow' : 'PyTorch'}`;
  if (has.asIs !== wanted.asIs) {
    const message =
      has.asIs === true
        ? `${id} serves unmodified repositories, but the configuration of the run is written by the workbench`
        : `${id} serves configurations written by the workbench, but the run serves an unmodified repository`;
    const remedy = 'Deploy the run as a deployment of its own.';
    throw new WorkbenchError('combination-unsupported', message, { where: 'to', remedy });
  }
  const same = inContainers(has)
    ? inContainers(wanted) && has.imageId === wanted.imageId && has.host === wanted.host
    : isProcess(wanted) && sameValue(has, wanted);
  if (same) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `${id} serves with ${words(has)}, but the run was verified on ${words(wanted)}`,
    { where: 'to', remedy: 'Deploy the run as a deployment of its own.' },
  );
}

/** Throws deployment-unknown, naming how to create one. */
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

/** Throws input-invalid for models served on a cluster's node. */
export function requireServable(runId: string, engine: RunSpec['engine']): void {
  if (!isJobEngine(engine)) return;
  throw new WorkbenchError(
    'input-invalid',
    `${runId} cannot be deployed here: it ran on a node of the cluster`,
    {
      where: runId,
      remedy: `Run it on this machine or a host, or hand it over with "bundle ${runId} --out DIR".`,
    },
  );
}

/** Throws input-invalid for several models. */
export function onlyModel({ id, models }: Deployment): string {
  const [first, ...others] = Object.keys(models);
  if (first !== undefined && others.length === 0) return first;
  throw invalidInput('--model', `${id} serves ${Object.keys(models).join(', ')}`, 'Name the model.');
}
