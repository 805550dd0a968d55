import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DeploymentInfo } from '../../contract/deployment/deployment';
import { invalidInput } from '../../contract/errors';
import type { UpgradePlan } from '../../contract/study/study';
import type { UpgradeRequest, UpgradeTarget } from '../../contract/study/upgrade';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { engineOfTarget } from '../../domain/study/upgrade/target-engine';
import { turnsOf, wholeOf } from '../compare/compare-anew';
import { ask, exitCodes, type Output, printText } from '../output';
import { resolveRunId } from '../read-values';
import type { Verb } from '../verb';
import { moveLine, upgradePlanLines, workOnUpgrade } from './work-on-upgrade';

interface UpgradeOptions {
  readonly to?: string;
  readonly move?: string;
  readonly failIf?: readonly string[];
  readonly budget?: string;
  readonly concurrency?: string;
  readonly requestRate?: string;
  readonly batchSize?: string;
  readonly loads?: string;
  readonly name?: string;
  readonly markdown?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** A release, a folder that is there, or an image. */
async function targetOf(text: string): Promise<UpgradeTarget> {
  if (/^\d\d\.\d\d$/.test(text)) return { release: text };
  const folder = resolve(text);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return { environment: folder };
  if (found === null && !/^[./~]/.test(text)) return { image: text };
  throw invalidInput(
    '--to',
    `"${text}" is not a folder`,
    'Give a release such as 26.07, an image, or the folder of a serving environment.',
  );
}

/** That a person named what is executed is recorded. */
async function approveTarget(core: Core, to: UpgradeTarget): Promise<void> {
  const engine = engineOfTarget(to);
  if (engine === null) return;
  const spec = { engine };
  await core.handlers['approvals.given']({ spec, typed: spec });
}

async function subjectOf(core: Core, given: string): Promise<UpgradeRequest['of']> {
  const deployments = await core.handlers['deployments.list'](undefined);
  const isDeployment = deployments.some(({ id }) => id === given);
  return isDeployment ? { deployment: given } : { runId: await resolveRunId(core, given) };
}

async function planned(core: Core, given: string, options: UpgradeOptions): Promise<UpgradePlan> {
  if (options.to === undefined) {
    throw invalidInput(
      '--to',
      'The target of the upgrade is missing',
      'Give a release such as 26.07, an image, or the folder of a serving environment.',
    );
  }
  const to = await targetOf(options.to);
  await approveTarget(core, to);
  const of = await subjectOf(core, given);
  const { name, loads } = options;
  return core.handlers['upgrades.plan']({
    ...{ of, to, ...turnsOf(options) },
    ...present({ name, loads: wholeOf('--loads', loads) }),
  });
}

const movedText = ({ id, state, httpUrl }: DeploymentInfo): string => `${id} is ${state} at ${httpUrl}.`;

async function moved(core: Core, name: string, output: Output): Promise<DeploymentInfo> {
  const deployment = await core.handlers['upgrades.move']({ name });
  output.say(movedText(deployment));
  return deployment;
}

/** Asks where there is a terminal. @returns the deployment as it serves now; null: as before */
async function moveAfter(
  core: Core,
  { spec, upgrade }: UpgradePlan,
  output: Output,
  yes: boolean,
): Promise<DeploymentInfo | null> {
  const { subject, sides } = upgrade;
  if (subject.kind !== 'deployment') return null;
  const canAsk = process.stdin.isTTY && process.stderr.isTTY && !output.json;
  const isAgreed =
    yes ||
    (canAsk &&
      (await ask(output, 'upgrade', {
        question: `Serve ${subject.id} with ${sides[1].title} from now on?`,
        nothing: 'Nothing was moved',
        ...{
          withYes: 'Add --yes to move it without asking',
          otherwise: `move it later: ${moveLine(spec.name)}`,
        },
      })));
  if (isAgreed) return moved(core, spec.name, output);
  output.say(`Nothing was moved. To move it: ${moveLine(spec.name)}`);
  return null;
}

async function upgrade(core: Core, given: string, options: UpgradeOptions, plain: Output): Promise<number> {
  const { dryRun = false, markdown = false, yes = false } = options;
  // Standard output is for the comment of a pull request.
  const say = (line: string) => {
    printText(`${line}\n`, 'stderr');
  };
  const output = markdown && !plain.json ? { ...plain, say, live: false } : plain;
  const plan = await planned(core, given, options);
  for (const line of upgradePlanLines(plan)) output.say(line);
  if (dryRun) {
    if (output.json) output.document(plan);
    return exitCodes.done;
  }
  return workOnUpgrade(core, plan, output, {
    ...{ resume: false, markdown },
    move: () => moveAfter(core, plan, output, yes),
  });
}

export function addUpgrade(program: Verb): void {
  program
    .command('upgrade')
    .description(
      'Compare two serving environments with the same model files, and report whether the model can move',
    )
    .argument(
      '[subject]',
      'a verified run (id or a unique prefix of it, name, latest, or latest~N) or a deployment',
    )
    .option(
      '--to <target>',
      'a release (26.07), a Docker image, or a folder with another Triton or a Python environment',
    )
    .option('--budget <time>', 'maximum time under load, e.g. 3m; default: 3m')
    .option(
      '--fail-if <criterion...>',
      'regression that blocks the move, as "p99>1.1x" or "throughput<0.95x"; default: both with 10 %',
    )
    .option('-b, --batch-size <n>', 'batch size of each request; default: that of the run’s answer')
    .option('--concurrency <n>', 'requests in flight; default: the level of the run’s answer')
    .option('--request-rate <n>', 'requests per second with Poisson arrivals, in place of a concurrency')
    .option('--loads <n>', 'model loads to time on each side; default: 3')
    .option('--move <study>', 'move the deployment of an earlier upgrade whose answer was ready to move')
    .option('--name <name>', 'name of the study; default: upgrade-<date>-<time>')
    .option('--markdown', 'Markdown, for a pull request')
    .option('--dry-run', 'show what is known beforehand; nothing is started')
    .option('-y, --yes', 'if it is ready to move, move the deployment without asking')
    .work(async ({ core, output, exit }, given: string | undefined, options: UpgradeOptions) => {
      const { move } = options;
      if ((given === undefined) === (move === undefined)) {
        throw invalidInput(
          given === undefined ? 'run' : '--move',
          'An upgrade needs a run or a deployment',
          'Name one of them: upgrade latest --to 26.07; or an earlier upgrade: upgrade --move NAME.',
        );
      }
      if (given !== undefined) {
        exit(await upgrade(core, given, options, output));
        return;
      }
      const deployment = await moved(core, move ?? '', output);
      if (output.json) output.document({ name: move ?? '', deployment });
    }, 'print one JSON document to stdout; messages go to stderr');
}
