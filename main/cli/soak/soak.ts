import { invalidInput } from '../../contract/errors';
import type { AskedSoakLoad, SoakRequest } from '../../contract/study/soak';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { parseSoakCriterion } from '../../domain/study/soak/soak-criteria';
import { exitCodes, type Output, printText } from '../output';
import { readDuration, readNumber, readOneOf, readShapes, resolveRunId } from '../read-values';
import { agreedToLoad, approvedUrl } from '../search/search-at';
import type { Verb } from '../verb';
import { soakPlanLines, workOnSoak } from './work-on-soak';

interface SoakOptions {
  readonly for: string;
  readonly rate?: string;
  readonly concurrency?: string;
  readonly batchSize?: string;
  readonly reloadEvery?: string;
  readonly readEvery?: string;
  readonly failIf?: readonly string[];
  readonly name?: string;
  readonly url?: string;
  readonly model?: string;
  readonly protocol?: string;
  readonly shape?: readonly string[];
  readonly allowRemoteLoad?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly markdown?: boolean;
}

function wholeOf(flag: string, text: string): number {
  const value = readNumber(flag, text);
  if (Number.isInteger(value) && value > 0) return value;
  throw invalidInput(flag, `"${text}" is not a whole number of at least 1`);
}

function millisecondsOf(flag: string, text: string): number {
  const ms = Math.round(readDuration(flag, text, 'ms', 's'));
  if (ms > 0) return ms;
  throw invalidInput(flag, `"${text}" is not a time above 0`);
}

function loadOf({ rate, concurrency }: SoakOptions): AskedSoakLoad | undefined {
  if (rate !== undefined && concurrency !== undefined) {
    throw invalidInput('--concurrency', 'The load is either a rate or a concurrency', 'Give one of them.');
  }
  if (concurrency !== undefined) return { concurrency: wholeOf('--concurrency', concurrency) };
  if (rate === undefined) return undefined;
  const [, percent] = /^\s*([\d.]+)\s*%\s*$/.exec(rate) ?? [];
  const value = percent === undefined ? readNumber('--rate', rate) : Number(percent);
  if (!(value > 0) || (percent !== undefined && value > 200)) {
    throw invalidInput(
      '--rate',
      `"${rate}" is not a rate`,
      'Give requests per second, for example 50, or a share of the rate that the run sustained, for example 60%.',
    );
  }
  return percent === undefined ? { requestRate: value } : { share: value / 100 };
}

/** "500": requests; "30s": a time. */
function reloadOf(text: string): SoakRequest['reloadEvery'] {
  return /^\s*\d+\s*$/.test(text)
    ? { requests: wholeOf('--reload-every', text) }
    : { ms: millisecondsOf('--reload-every', text) };
}

/** Throws input-invalid. */
async function serverOf(core: Core, given: string, options: SoakOptions): Promise<SoakRequest['of']> {
  const { model, protocol, shape, allowRemoteLoad = false } = options;
  if (model === undefined) throw invalidInput('--model', 'The model is missing', 'Name it with -m MODEL.');
  const url = await approvedUrl(core, given, allowRemoteLoad);
  return {
    url,
    model,
    ...present({
      protocol:
        protocol === undefined ? undefined : readOneOf('--protocol', ['http', 'grpc'] as const, protocol),
      shapes: shape === undefined ? undefined : readShapes(shape),
    }),
  };
}

async function subjectOf(
  core: Core,
  given: string | undefined,
  options: SoakOptions,
): Promise<SoakRequest['of']> {
  const { url, model } = options;
  if ((given === undefined) === (url === undefined)) {
    throw invalidInput(
      given === undefined ? 'run' : '--url',
      'A soak needs a run, a deployment or a server',
      'Name one of them: soak latest, soak DEPLOYMENT, or soak --url localhost:8000 -m MODEL.',
    );
  }
  if (url !== undefined) return serverOf(core, url, options);
  const deployments = await core.handlers['deployments.list'](undefined);
  const isDeployment = deployments.some(({ id }) => id === given);
  if (isDeployment) return { deployment: given ?? '', ...present({ model }) };
  if (model !== undefined) throw invalidInput('--model', 'A run has one model', 'Leave -m out.');
  return { runId: await resolveRunId(core, given ?? '') };
}

async function soak(
  core: Core,
  given: string | undefined,
  options: SoakOptions,
  plain: Output,
): Promise<number> {
  const { failIf, name, batchSize, reloadEvery, readEvery, dryRun = false, markdown = false, yes } = options;
  // Standard output is for the comment of a pull request.
  const say = (line: string) => {
    printText(`${line}\n`, 'stderr');
  };
  const output = markdown && !plain.json ? { ...plain, say, live: false } : plain;
  const request = {
    forMs: millisecondsOf('--for', options.for),
    ...present({
      name,
      load: loadOf(options),
      batchSize: batchSize === undefined ? undefined : wholeOf('--batch-size', batchSize),
      reloadEvery: reloadEvery === undefined ? undefined : reloadOf(reloadEvery),
      readMs: readEvery === undefined ? undefined : millisecondsOf('--read-every', readEvery),
      criteria: failIf?.map((text) => parseSoakCriterion(text).text),
    }),
  };
  const plan = await core.handlers['soaks.plan']({ ...request, of: await subjectOf(core, given, options) });
  for (const line of soakPlanLines(plan)) output.say(line);
  if (dryRun) {
    if (output.json) output.document(plan);
    return exitCodes.done;
  }
  if (await agreedToLoad(output, 'soak', plan.asks, yes)) {
    return workOnSoak(core, plan, output, { resume: false, markdown });
  }
  output.say('Nothing was sent.');
  return exitCodes.done;
}

export function addSoak(program: Verb): void {
  program
    .command('soak')
    .description(
      'Send the same load for hours, and report whether memory grows, how fast, and in which process',
    )
    .argument(
      '[subject]',
      'a verified run (id or a unique prefix of it, name, latest, or latest~N) or a deployment',
    )
    .requiredOption('--for <time>', 'how long, e.g. 8h or 20m; pauses do not count')
    .option(
      '--rate <rate>',
      'requests per second, or a share of the rate that the run sustained, e.g. 60%; default: 60%',
    )
    .option('--concurrency <n>', 'requests in flight, in place of a rate')
    .option('-b, --batch-size <n>', 'batch size of each request; default: that of the run’s answer')
    .option(
      '--reload-every <n>',
      'unload and load the model after this many requests, or a time, e.g. 30s, to find memory that unloading leaves behind',
    )
    .option('--read-every <time>', 'time between two readings of memory; default: 5s, less for a short soak')
    .option(
      '--fail-if <criterion...>',
      'exit with code 3 if a process of the server grows faster, as "rss-slope>1MB/h" or "rss-slope>1MB/1000" (requests), and with 4 if that is inconclusive',
    )
    .option('-u, --url <address>', 'a Triton that is already running, e.g. localhost:8000')
    .option('-m, --model <name>', 'model to load: that of the server, or one of several of the deployment')
    .option('-i, --protocol <protocol>', 'with --url: http or grpc; default: http')
    .option('--shape <name:dims...>', 'with --url: dimensions of an input that vary, e.g. ids:128')
    .option('--allow-remote-load', 'with --url: allow load on a Triton on another machine')
    .option('--name <name>', 'name of the study; default: soak-<date>-<time>')
    .option('--markdown', 'Markdown, for a pull request')
    .option('--dry-run', 'show what would be done; nothing is started')
    .option('-y, --yes', 'unload and load a model of a running server without asking')
    .work(async ({ core, output, exit }, given: string | undefined, options: SoakOptions) => {
      exit(await soak(core, given, options, output));
    }, 'print one JSON document to stdout; messages go to stderr');
}
