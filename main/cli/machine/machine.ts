import { cliRemedyOf } from '../../contract/error-text';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { didYouMean } from '../../contract/fields/nearest-name';
import type { EngineStatus, GpuFacts, MachineStatus } from '../../contract/machine';
import { formatBytes } from '../../contract/numbers';
import { isProcess } from '../../contract/run/engine-kinds';
import { dockerEngineSchema, formats } from '../../contract/run/run-spec';
import {
  componentFacts,
  type ComponentId,
  componentIds,
  type ComponentStatus,
  costText,
  onDemandIds,
  type SetupAction,
  type SetupWork,
  updateText,
  withDependents,
} from '../../contract/setup';
import { present } from '../../contract/trees';
import { formatChecks } from '../../contract/words';
import type { Core } from '../../core';
import { askToRemove, createOutput, exitCodes, followWork, formatTable, type Output } from '../output';
import { hanging } from '../print/terminal';
import { readOneOf } from '../read-values';
import type { Given, Verb } from '../verb';

interface DetectOptions {
  readonly images?: string;
  readonly release?: string;
  readonly gpus?: string;
  readonly format?: string;
}

const bytesText = (bytes: number | null) => (bytes === null ? 'unknown' : formatBytes(bytes));

function gpuLine(gpu: GpuFacts, { driverVersion, cudaVersion }: MachineStatus['gpus']): string {
  const facts = [
    gpu.architecture ?? 'architecture unknown',
    `compute capability ${gpu.computeCapability ?? 'unknown'}`,
    bytesText(gpu.memoryTotalBytes),
    `driver ${driverVersion ?? 'unknown'}`,
    `CUDA up to ${cudaVersion ?? 'unknown'}`,
  ];
  const slices = gpu.mig.devices.length === 0 ? '' : `, ${gpu.mig.devices.length} MIG devices`;
  return `GPU ${gpu.index} ${gpu.name}: ${facts.join(', ')}${slices}`;
}

function engineLines({ kind, version, available, note, remedy }: EngineStatus): readonly string[] {
  // The window offers a button for this; the CLI names the command.
  const action = isProcess({ kind }) && !available ? cliRemedyOf('toolchain-missing') : remedy;
  return [
    `${available ? '✓' : '–'} engine ${kind}${version === null ? '' : ` ${version}`}: ${note}`,
    ...(action === null ? [] : [`    ${action}`]),
  ];
}

function machineLines({
  environment,
  gpus,
  host,
  release,
  engines,
  checks,
}: MachineStatus): readonly string[] {
  return [
    `${environment.os}; ${environment.cpu}, ${environment.cpuCount} processors, ` +
      `${bytesText(environment.memoryBytes)} memory, ${bytesText(host.memoryFreeBytes)} free`,
    ...host.disks.map(({ path, freeBytes }) => `Disk of ${path}: ${bytesText(freeBytes)} free`),
    ...gpus.gpus.map((gpu) => gpuLine(gpu, gpus)),
    ...(release === null ? [] : [`NGC images: ${release}`]),
    ...(gpus.problem === null ? [] : [`GPUs: ${gpus.problem}`]),
    ...engines.flatMap(engineLines),
    '',
    ...formatChecks(checks),
  ].map((line) => hanging(line, 2));
}

function readAsked({
  images,
  release,
  gpus,
  format,
}: DetectOptions): Parameters<Core['handlers']['machine.check']>[0] {
  const engine = dockerEngineSchema.safeParse({
    kind: 'docker',
    ...present({ images, release }),
    gpus: (gpus ?? '').split(/[\s,]+/).filter((id) => id !== ''),
  });
  if (!engine.success) {
    const [issue] = engine.error.issues;
    const name = String(issue?.path[0] ?? 'images');
    throw invalidInput(`--${name}`, `${name} ${issue?.message ?? 'is not valid'}`);
  }
  const asked = images !== undefined || release !== undefined || gpus !== undefined;
  return {
    engine: asked ? engine.data : undefined,
    format: format === undefined ? undefined : readOneOf('--format', formats, format),
  };
}

export function addDetect(program: Verb): void {
  program
    .command('detect')
    .description(
      'Show the hardware and the engines of this machine, and run the preflight checks for containers',
    )
    .option('--images <family>', 'check for cpu (built locally) or ngc (NVIDIA) images')
    .option('--release <YY.MM>', 'check for this release of the NGC images')
    .option('--gpus <list>', 'check for these GPUs: "idlest", "all", or UUIDs')
    .option(
      '--format <name>',
      'check for serving this format; newer releases have no backend for tf-savedmodel',
    )
    .checking(readAsked)
    .answer(async ({ core }, options: DetectOptions) => {
      const machine = await core.handlers['machine.check'](readAsked(options));
      return { document: machine, lines: () => machineLines(machine) };
    });
}

interface SetupOptions {
  readonly check?: boolean;
  readonly repair?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
}

function readComponents(names: readonly string[]): readonly ComponentId[] {
  if (names.length === 0) return componentIds.filter((id) => componentFacts[id].required);
  return names.map((name) => {
    const id = componentIds.find((known) => known === name);
    if (id !== undefined) return id;
    throw invalidInput(
      'setup',
      `Unknown component "${name}"${didYouMean(name, componentIds)}`,
      `Available: ${componentIds.join(', ')}.`,
    );
  });
}

/** Throws input-invalid for more than one of them. */
function readAction({ check, repair, remove }: SetupOptions): SetupAction | 'check' {
  const given = [
    check === true && 'check',
    repair === true && 'repair',
    remove === true && 'remove',
  ] as const;
  const [action = 'install', another] = given.filter((one) => one !== false);
  if (another === undefined) return action;
  throw invalidInput('setup', `Use either --${action} or --${another}`, 'Leave out one of them.');
}

const rowOf = ({ id, state, version, bytes }: ComponentStatus): readonly string[] => [
  id,
  state,
  version ?? '',
  bytes === null ? '' : formatBytes(bytes),
  state === 'ready' ? '' : costText(id),
];

const toolsDocument = (all: readonly ComponentStatus[]) =>
  all.map((status) => ({ ...status, ...componentFacts[status.id] }));

async function check(core: Core, output: Output, ids: readonly ComponentId[]): Promise<number> {
  const all = await core.handlers['tools.list'](undefined);
  const ready = all.every(({ id, state }) => state === 'ready' || !ids.includes(id));
  if (output.json) {
    const systemPackages = await core.handlers['tools.systemPackages'](undefined);
    output.document({ components: toolsDocument(all), systemPackages });
  } else {
    output.say(formatTable(['component', 'state', 'version', 'size', 'to install'], all.map(rowOf)));
    const outdated = all.filter((status) => status.outdated !== undefined);
    for (const status of outdated)
      output.say(`${status.id}: ${status.outdated ?? ''} ${updateText(status, all)}.`);
    const what =
      outdated.length === 0
        ? 'install what is missing'
        : 'install what is missing and update what is outdated';
    if (!ready) output.say(`To ${what}: triton-workbench setup ${ids.join(' ')}`);
  }
  return ready ? exitCodes.done : exitCodes.notReady;
}

/** Prints progress until the work ends. Ctrl-C cancels. Throws the error of the work. */
async function follow(core: Core, progress: Output): Promise<SetupWork> {
  const work = await followWork(progress, {
    subscribe: (listener) =>
      core.subscribe((event) => {
        if (event.type !== 'setup-work' || event.work.status !== 'running') return;
        const { component } = event.work;
        // Until its first component the work may be waiting for another set-up.
        listener(component === null ? 'Set-up' : componentFacts[component].title, event.work);
      }),
    cancel: () => void core.handlers['tools.cancel'](undefined),
    ended: async () => {
      const ended = await core.handlers['tools.ended'](undefined);
      if (ended !== null) return ended;
      throw new WorkbenchError('internal', 'The set-up did not start');
    },
  });
  if (work.status === 'cancelled') {
    throw new WorkbenchError('cancelled', 'The set-up was cancelled', {
      where: 'setup',
      remedy: 'Run the command again. Installed components and downloaded packages are kept.',
    });
  }
  return work;
}

async function setup(
  { core, output }: Given,
  names: readonly string[],
  options: SetupOptions,
): Promise<number> {
  const ids = readComponents(names);
  const action = readAction(options);
  if (action === 'check') return check(core, output, ids);
  // stdout is reserved for the result.
  const progress: Output = { ...createOutput(true, output.quiet), json: false };
  const say = (line: string) => {
    if (output.quiet !== true) progress.say(line);
  };
  const due =
    action === 'remove'
      ? withDependents(ids)
      : await core.handlers['tools.plan']({ components: ids, repair: action === 'repair' });
  for (const id of due) {
    const { title } = componentFacts[id];
    say(action === 'remove' ? `Remove ${title}` : `${title}: ${costText(id)}`);
  }
  if (action === 'remove' && options.yes !== true) {
    if (!(await askToRemove(output, 'setup', 'add --check to see what is installed'))) {
      output.say('Nothing was removed.');
      return exitCodes.done;
    }
  }
  if (due.length > 0) {
    const { 'tools.remove': remove, 'tools.install': install } = core.handlers;
    const components = [...ids];
    await (action === 'remove'
      ? remove({ components })
      : install({ components, repair: action === 'repair' }));
    await follow(core, progress);
  }
  const all = await core.handlers['tools.list'](undefined);
  if (output.json) output.document({ components: toolsDocument(all) });
  else if (due.length === 0) output.say('Everything is installed.');
  else {
    const done = action === 'remove' ? 'Removed' : 'Installed';
    output.say(`${done}: ${due.map((id) => componentFacts[id].title).join(', ')}`);
  }
  return exitCodes.done;
}

export function addSetup(program: Verb): void {
  program
    .command('setup')
    .description(
      `Install what runs outside of Docker: ${componentIds.join(', ')}; without ${onDemandIds.join(', ')} by default, which the first run that needs them installs`,
    )
    .argument('[component...]', 'what to install, with everything it needs')
    .option('--check', 'show what is installed and how much the rest would need, and change nothing')
    .option('--repair', 'reinstall it, with fresh downloads')
    .option('--remove', 'remove it, with everything that was made from it; asks')
    .option('-y, --yes', 'do not ask')
    .checking((options: SetupOptions, names) => {
      readComponents(names);
      readAction(options);
    })
    .work(async (given, names: string[], options: SetupOptions) => {
      given.exit(await setup(given, names, options));
    });
}
