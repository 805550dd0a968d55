import {
  deployedCheckText,
  deployedKindText,
  type DeploymentInfo,
  type DeployRequest,
} from '../contract/deployment/deployment';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { promisedText } from '../contract/measured/promised-load';
import { missing } from '../contract/numbers';
import { present } from '../contract/trees';
import type { Core } from '../core';
import { snippetsOf } from '../domain/deployment-snippets';
import { coldLines, coldRows } from '../domain/measured/cold/cold-start';
import { modelRecordRows } from '../domain/run/model-record-text';
import { addPlanOptions, planOf, type PlanOptions } from './measured/capacity';
import { type CliContext, formatTable, type Output, progressOf } from './output';
import { paintState } from './print/terminal';
import { readNumber, readTail, resolveRunId, runArgument } from './read-values';
import type { Answer, Given, Verb } from './verb';

interface DeployOptions {
  readonly name?: string;
  readonly to?: string;
  readonly httpPort?: number;
  readonly grpcPort?: number;
  readonly metricsPort?: number;
  readonly listen?: string;
  readonly allowUnverified?: boolean;
  readonly search?: string;
}

const stateText = ({ state, reason }: Pick<DeploymentInfo, 'state' | 'reason'>): string =>
  reason === null ? state : `${state}: ${reason}`;

const modelText = ({ name, version }: DeploymentInfo['models'][number]): string => `${name} v${version}`;

const searchOption = 'use the best configuration of this search; default: the configuration of the run';
const deploymentArgument = 'name of a deployment, as in "deployments list"';

type NameOf = (runId: string) => string;

async function runNames(core: Core): Promise<NameOf> {
  const { runs } = await core.handlers['runs.all'](undefined);
  return (runId) => {
    const name = runs.find((run) => run.runId === runId)?.name ?? null;
    return name === null ? runId : `${name} (${runId})`;
  };
}

function detailLines(deployment: DeploymentInfo, nameOf: NameOf): readonly string[] {
  const { interrupted, engine, host, image, environment, gpus, httpUrl, grpcUrl, metricsUrl, models } =
    deployment;
  return [
    `${deployment.id}: ${stateText(deployment)}`,
    ...(interrupted === null ? [] : [`  ${interrupted}`]),
    ...(deployment.warning === undefined ? [] : [`  warning: ${deployment.warning}`]),
    ...(host === null ? [] : [`  host     ${host}; the addresses are as seen from it`]),
    `  HTTP     ${httpUrl}`,
    `  gRPC     ${grpcUrl}`,
    `  metrics  ${metricsUrl}`,
    `  engine   ${engine ?? missing}${image === null ? '' : `, ${image}`}${environment === undefined ? '' : `, ${environment}`}${gpus.length === 0 ? '' : `, GPUs ${gpus.join(', ')}`}`,
    ...models.flatMap((model) => [
      `  ${modelText(model)}: ${deployment.state === 'stopped' ? 'not loaded' : model.state}${model.reason === null ? '' : `, ${model.reason}`}`,
      `    from ${nameOf(model.runId)}, ${deployedKindText(model)}; ${deployedCheckText(model)}`,
      ...(model.coldStart === undefined
        ? []
        : coldLines(model.coldStart, coldRows(model.coldStart, [])).map((line) => `    ${line}`)),
      ...modelRecordRows(model.record ?? null).map(({ name, value }) => `    ${name}: ${value}`),
      ...(model.promised === undefined ? [] : [`    one replica holds ${promisedText(model.promised)}`]),
      ...(model.previous === null
        ? []
        : [`    previous version ${model.previous.version}, from ${nameOf(model.previous.runId)}`]),
    ]),
  ];
}

async function following<Value>(
  { core, output }: Pick<Given, 'core' | 'output'>,
  work: () => Promise<Value>,
): Promise<Value> {
  const stop = core.subscribe((event) => {
    if (event.type === 'deployments-changed' && event.work !== null)
      progressOf(output).say(`${event.id}: ${event.work}`);
  });
  try {
    return await work();
  } finally {
    stop();
  }
}

async function answerOf(core: Core, deployment: DeploymentInfo): Promise<Answer> {
  const nameOf = await runNames(core);
  return { document: deployment, lines: () => detailLines(deployment, nameOf) };
}

/** Deploys the model of a run. Ctrl-C cancels and removes what was created. */
export async function deployRun(
  core: Core,
  output: Output,
  runId: string,
  options: DeployOptions,
): Promise<DeploymentInfo> {
  const { name, to, httpPort, grpcPort, metricsPort, listen, allowUnverified, search } = options;
  const request: DeployRequest = {
    runId,
    ...present({ name, to, httpPort, grpcPort, metricsPort, listen, allowUnverified, search }),
  };
  const stops = ['SIGINT', 'SIGTERM'] as const;
  // A second Ctrl-C ends the process at once.
  const cancel = () => {
    core.close().catch(() => undefined);
  };
  for (const name of stops) process.once(name, cancel);
  try {
    return await following({ core, output }, () => core.handlers['deployments.deploy'](request));
  } finally {
    for (const name of stops) process.off(name, cancel);
  }
}

/** @throws {WorkbenchError} input-invalid, naming the option. */
const readPort =
  (flag: string) =>
  (text: string): number => {
    const port = readNumber(flag, text);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    throw new WorkbenchError('input-invalid', `"${text}" is not a port, 1 to 65535`, { where: flag });
  };

const addDeployOptions = (command: Verb): Verb =>
  command
    .option('--name <name>', 'name of the deployment; default: that of the model')
    .option(
      '--http-port <port>',
      'fixed HTTP port; default: 8000, or the next free one in steps of ten',
      readPort('--http-port'),
    )
    .option(
      '--grpc-port <port>',
      'fixed gRPC port; default: 8001, or the next free one in steps of ten',
      readPort('--grpc-port'),
    )
    .option(
      '--metrics-port <port>',
      'fixed metrics port; default: 8002, or the next free one in steps of ten',
      readPort('--metrics-port'),
    )
    .option(
      '--listen <address>',
      'address to listen on, on the machine of the deployment (containers only); default: 127.0.0.1. Triton has no authentication',
    );

/** Throws input-invalid for options that only a new deployment takes. */
function requireNewTarget({ to, name, httpPort, grpcPort, metricsPort, listen }: DeployOptions): void {
  if (to === undefined) return;
  const ofNew = {
    '--name': name,
    '--http-port': httpPort,
    '--grpc-port': grpcPort,
    '--metrics-port': metricsPort,
    '--listen': listen,
  };
  const [flag] = Object.entries(ofNew).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return;
  throw new WorkbenchError(
    'input-invalid',
    `${flag} applies to a new deployment, and --to names one that exists`,
    { where: flag, remedy: 'Leave out one of them.' },
  );
}

type Call = 'deployments.start' | 'deployments.stop' | 'deployments.restart';

function addChange(program: Verb, verb: string, description: string, call: Call): void {
  program
    .command(verb)
    .description(description)
    .argument('<deployment>', deploymentArgument)
    .answer(async (given, id: string) => {
      const { core } = given;
      return answerOf(core, await following(given, () => core.handlers[call]({ id })));
    });
}

function addReadVerbs(program: Verb, context: CliContext): void {
  program
    .command('list', { isDefault: true })
    .description('List deployments with their current states')
    .answer(async ({ core }) => {
      const found = await core.handlers['deployments.list'](undefined);
      const nameOf = await runNames(core);
      const rows = found.map((deployment) => [
        deployment.id,
        paintState(deployment.state),
        deployment.engine ?? missing,
        deployment.host ?? missing,
        deployment.models.map(modelText).join(', ') || missing,
        deployment.models.map(({ runId }) => nameOf(runId)).join(', ') || missing,
        deployment.httpUrl,
        deployment.grpcUrl,
      ]);
      const header = ['deployment', 'state', 'engine', 'host', 'models', 'run', 'HTTP', 'gRPC'];
      const reasons = found.flatMap(({ id, reason, interrupted }) =>
        [reason, interrupted].flatMap((text) => (text === null ? [] : `${id}: ${text}`)),
      );
      const none = 'No deployments yet. To serve the model of a run: deploy <run>';
      return {
        document: found,
        lines: () => (found.length === 0 ? none : [formatTable(header, rows), ...reasons]),
      };
    });
  program
    .command('show')
    .description('Show a deployment: state, addresses, models and client code')
    .argument('<deployment>', deploymentArgument)
    .answer(async ({ core }, id: string) => {
      const deployment = await core.handlers['deployments.show']({ id });
      const { document, lines } = await answerOf(core, deployment);
      const code = deployment.models.flatMap((model) =>
        snippetsOf(deployment, model).flatMap(({ title, text }) => ['', `${model.name}, ${title}:`, text]),
      );
      return { document, lines: () => [lines(), code].flat(2) };
    });
  program
    .command('logs')
    .description('Print the last lines of the Triton log of a deployment')
    .argument('<deployment>', deploymentArgument)
    .option('--tail <lines>', 'number of lines; default: 200', readTail)
    .action(async (id: string, { tail: limit = 200 }: { readonly tail?: number }) => {
      const output = context.output({});
      const lines = await (await context.core()).handlers['deployments.log']({ id, limit });
      for (const line of lines) output.say(line);
    });
}

function addRemove(program: Verb): void {
  program
    .command('rollback')
    .description('Serve the previous version of a model again')
    .argument('<deployment>', deploymentArgument)
    .option('--model <name>', 'the model, where the deployment has several')
    .answer(async (given, id: string, { model }: { readonly model?: string }) => {
      const { core } = given;
      const input = { id, ...present({ model }) };
      return answerOf(core, await following(given, () => core.handlers['deployments.rollback'](input)));
    });
  program
    .command('remove')
    .description('Delete a deployment and its files; runs are kept')
    .argument('<deployment>', deploymentArgument)
    .option('--force', 'remove it even if it is serving, or if its host is no longer in the list')
    .answer(async ({ core }, id: string, { force = false }: { readonly force?: boolean }) => {
      await core.handlers['deployments.remove']({ id, force });
      return { document: { id, removed: true }, lines: () => `${id} removed.` };
    });
}

/** Internal verb: the workbench starts it detached to recover a change whose process was killed. */
const addRecover = (program: Verb): Verb =>
  program
    .command('recover', { hidden: true })
    .argument('<deployment>', deploymentArgument)
    .work(async ({ core }, id: string) => {
      await core.handlers['deployments.recover']({ id });
    });

interface BundleOptions extends PlanOptions {
  readonly out: string;
  readonly allowUnverified?: boolean;
  readonly replicasForRate?: number;
  readonly search?: string;
}

/** Throws input-invalid for a plan without its rate. */
function requireRate({ replicasForRate, p99, headroom, spare }: BundleOptions): void {
  const given = Object.entries({ '--p99': p99, '--headroom': headroom, '--spare': spare });
  const [flag] = given.find(([, value]) => value !== undefined) ?? [];
  if (replicasForRate !== undefined || flag === undefined) return;
  throw invalidInput(flag, `${flag} applies only with --replicas-for-rate`, 'Add --replicas-for-rate RATE.');
}

function addBundle(program: Verb): void {
  const verb = program
    .command('bundle')
    .description(
      'Write a verified model into a folder for production: model repository with checksums, compose file, Kubernetes and KServe manifests, and a smoke test',
    )
    .argument('<run>', runArgument)
    .requiredOption('--out <dir>', 'folder to write, new or empty')
    .option('--allow-unverified', 'accept a run whose accuracy check failed or was not done')
    .option('--search <study>', searchOption)
    .option(
      '--replicas-for-rate <inferences>',
      'set the replicas of the manifests for this rate (inferences per second), as "capacity" plans them',
      (text) => readNumber('--replicas-for-rate', text),
    );
  addPlanOptions(verb)
    .checking(requireRate)
    .answer(async ({ core }, run: string, options: BundleOptions) => {
      const { out, allowUnverified, replicasForRate: rate, search } = options;
      const runId = await resolveRunId(core, run);
      const capacity =
        rate === undefined
          ? null
          : planOf(
              (await core.handlers['runs.show']({ runId })).state,
              { ...options, rate },
              '--replicas-for-rate',
            );
      const request = { runId, out, ...present({ allowUnverified, capacity, search }) };
      const { path } = await core.handlers['runs.bundle'](request);
      return { document: { runId, path }, lines: () => `${path}: start with its README.md` };
    });
}

export function addDeployments(program: Verb, context: CliContext): void {
  addDeployOptions(
    program
      .command('deploy')
      .description(
        'Serve the verified model of a run, and keep serving it after this command and its terminal end',
      )
      .argument('<run>', runArgument)
      .option(
        '--to <deployment>',
        'serve it in this deployment, where it replaces its previous version or joins other models',
      ),
  )
    .option('--allow-unverified', 'also deploy a run whose accuracy check failed or was not done')
    .option('--search <study>', searchOption)
    .checking(requireNewTarget)
    .answer(async ({ core, output }, run: string, options: DeployOptions) => {
      return answerOf(core, await deployRun(core, output, await resolveRunId(core, run), options));
    });
  const deployments = program
    .command('deployments')
    .description('Manage deployments: models that are kept serving');
  addReadVerbs(deployments, context);
  addChange(deployments, 'start', 'Start a stopped deployment', 'deployments.start');
  addChange(deployments, 'stop', 'Stop a deployment; its files and ports are kept', 'deployments.stop');
  addChange(deployments, 'restart', 'Stop and start a deployment', 'deployments.restart');
  addRemove(deployments);
  addRecover(deployments);
  addBundle(program);
}
