import { formatBytes } from '../../contract/numbers';
import { cacheSize } from '../../contract/settings/storage';
import type { CleanedHome, CleanPlan, CleanRequest, Core } from '../../core';
import { askToRemove, type Output, printText } from '../output';
import { formatError } from '../print/format-error';
import { readRunName, resolveRunId, runArgument, saySharedName } from '../read-values';
import type { Verb } from '../verb';
import { addReport } from './report';

interface CleanOptions {
  readonly cache?: boolean;
  readonly trash?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export function planLines({ cache, trash, runs, bytes }: CleanPlan): readonly string[] {
  return [
    ...(cache === null ? [] : [`Cache of exported models: ${cacheSize(cache)}`]),
    ...(trash === null
      ? []
      : [
          `Trash: ${counted(trash.runIds.length, 'run')}, ${formatBytes(trash.bytes)}; they cannot be restored`,
        ]),
    ...runs.map(({ runId, bytes }) => `Run ${runId}: ${formatBytes(bytes)}; it cannot be restored`),
    'Processes, containers and shared memory left behind by crashed sessions',
    `Frees ${formatBytes(bytes)}`,
  ];
}

function doneLines(done: CleanedHome): readonly string[] {
  const left = [
    [done.endedServers.length, 'server'],
    [done.endedChildren.length, 'other process'],
    [done.removedContainers.length, 'container'],
    [done.sharedMemoryFiles.length, 'shared memory file'],
  ] as const;
  return [
    ...left
      .filter(([count]) => count > 0)
      .map(([count, what]) => `Left behind by crashed sessions and removed: ${count} × ${what}`),
    ...done.emptiedRuns.map((runId) => `${runId} deleted from the trash`),
    ...done.removedRuns.map((runId) => `${runId} deleted`),
    `${formatBytes(done.freedBytes)} freed`,
  ];
}

async function requested(core: Core, given: readonly string[], options: CleanOptions): Promise<CleanRequest> {
  const runIds: string[] = [];
  for (const run of given) runIds.push(await resolveRunId(core, run));
  const { trash = false } = options;
  const { cache = !trash && runIds.length === 0 } = options;
  return { cache, trash, runIds: [...new Set(runIds)] };
}

async function clean(
  core: Core,
  output: Output,
  given: readonly string[],
  options: CleanOptions,
): Promise<void> {
  const { yes = false, dryRun = false } = options;
  const request = await requested(core, given, options);
  const plan = await core.handlers['upkeep.plan'](request);
  if (dryRun && output.json) output.document(plan);
  if (!output.json) for (const line of planLines(plan)) printText(`${line}\n`, dryRun ? 'stdout' : 'stderr');
  if (dryRun) return;
  if (!yes && !(await askToRemove(output, 'clean', 'add --dry-run to see only what it would remove'))) {
    output.say('Nothing was removed.');
    return;
  }
  const done = await core.handlers['upkeep.clean'](request);
  if (output.json) output.document(done);
  else for (const line of doneLines(done)) output.say(line);
}

export function addClean(program: Verb): void {
  program
    .command('clean')
    .description(
      'Remove the cache, the trash or single runs, and what crashed sessions left running; shows what and how much, and asks',
    )
    .argument('[run...]', 'runs to delete for good')
    .option(
      '--cache',
      'empty the cache of exported models, and remove pipelines that no run uses; default without --trash and runs',
    )
    .option('--trash', 'empty the trash')
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'show what would be removed, and remove nothing')
    .work(
      ({ core, output }, given: string[], options: CleanOptions) => clean(core, output, given, options),
      'print one JSON document to stdout; needs --yes or --dry-run',
    );
}

interface Stop {
  readonly verb: 'cancel' | 'pause';
  readonly description: string;
  readonly stop: (core: Core, runId: string) => Promise<null>;
  readonly said: (runId: string) => string;
}

const stops: readonly Stop[] = [
  {
    verb: 'cancel',
    description: 'Cancel a run, from any terminal',
    stop: (core, runId) => core.handlers['runs.cancel']({ runId }),
    said: (runId) => `Cancelling ${runId}.`,
  },
  {
    verb: 'pause',
    description: 'Stop a run before its next level or step, from any terminal; continue it with "resume"',
    stop: (core, runId) => core.handlers['runs.pause']({ runId }),
    said: (runId) => `Pausing ${runId} before its next level or step.`,
  },
];

function addStop(program: Verb, { verb, description, stop, said }: Stop): void {
  program
    .command(verb)
    .description(description)
    .argument('<run>', runArgument)
    .work(async ({ core, output }, given: string) => {
      const runId = await resolveRunId(core, given);
      await stop(core, runId);
      if (output.json) output.document({ runId, requested: true });
      else output.say(said(runId));
      const { status, error } = (await core.handlers['runs.show']({ runId })).state;
      // A remedy remains, for example for a cluster job that does not respond.
      if (status === 'cancelled' && error?.remedy !== undefined) output.say(formatError(error));
    });
}

function addRename(program: Verb): void {
  program
    .command('rename')
    .description('Name a run; use the name wherever a command takes a run')
    .argument('<run>', runArgument)
    .argument('[name]', 'the new name; without it, the name is removed')
    .checking((_options, [, text]) => text !== undefined && readRunName(text))
    .work(async ({ core, output }, given: string, text: string | undefined) => {
      const name = text === undefined ? null : readRunName(text);
      const runId = await resolveRunId(core, given);
      await core.handlers['runs.rename']({ runId, name });
      if (output.json) output.document({ runId, name });
      else output.say(name === null ? `${runId} has no name now.` : `${runId} is now named "${name}".`);
      await saySharedName(core, output.say, runId, name);
    });
}

export function addUpkeep(program: Verb): void {
  for (const stop of stops) addStop(program, stop);
  addReport(program);
  addRename(program);
}
