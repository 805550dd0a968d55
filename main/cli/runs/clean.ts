import type { Command } from 'commander';
import { formatBytes } from '../../contract/numbers';
import type { CleanedHome, CleanPlan, CleanRequest, Core } from '../../core';
import type { CliContext } from '../context';
import { askToRemove, type Output, printText } from '../output';
import { resolveRunId } from '../read-values';

interface CleanOptions {
  readonly cache?: boolean;
  readonly trash?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** What a clean-up would remove, a line each. Pure. */
export function planLines({ cache, trash, runs }: CleanPlan): readonly string[] {
  return [
    ...(cache === null ? [] : [`Cache of exported models: ${formatBytes(cache.bytes)}`]),
    ...(trash === null
      ? []
      : [
          `Trash: ${counted(trash.runIds.length, 'run')}, ${formatBytes(trash.bytes)}; they cannot be restored`,
        ]),
    ...runs.map(({ runId, bytes }) => `Run ${runId}: ${formatBytes(bytes)}; it cannot be restored`),
    'Processes, containers and shared memory left behind by crashed sessions',
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
    ...(done.cacheBytes === null ? [] : [`${formatBytes(done.cacheBytes)} of cached artifacts removed`]),
    ...done.emptiedRuns.map((runId) => `${runId} deleted from the trash`),
    ...done.removedRuns.map((runId) => `${runId} deleted`),
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
  const plan = await core.planClean(request);
  if (dryRun && output.json) output.document(plan);
  if (!output.json) for (const line of planLines(plan)) printText(`${line}\n`, dryRun ? 'stdout' : 'stderr');
  if (dryRun) return;
  if (!yes && !(await askToRemove(output, 'clean', 'add --dry-run to see only what it would remove'))) {
    output.say('Nothing was removed.');
    return;
  }
  const done = await core.clean(request);
  if (output.json) output.document(done);
  else for (const line of doneLines(done)) output.say(line);
}

/** `clean`: says what it removes and what that frees, asks, and removes it. */
export function addClean(program: Command, context: CliContext): void {
  program
    .command('clean')
    .description(
      'Remove the cache, the trash or single runs, and what crashed sessions left running; shows what and how much, and asks',
    )
    .argument('[run...]', 'runs to delete for good')
    .option('--cache', 'empty the cache of exported models; default without --trash and runs')
    .option('--trash', 'empty the trash')
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'show what would be removed, and remove nothing')
    .option('--json', 'print one JSON document to stdout; needs --yes or --dry-run')
    .action(async (given: string[], options: CleanOptions) => {
      await clean(await context.core(), context.output(options), given, options);
    });
}
