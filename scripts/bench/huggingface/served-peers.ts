import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { candidateSchema } from '../../../main/contract/study/search';
import { candidateText } from '../../../main/domain/study/search/candidates';
import { homeLayout } from '../../../main/platform/layout';
import { option, say } from '../bench-facts';
import { startFramework } from './framework-server';
import { type Peer, plainPeer, tritonPeer } from './peer-client';

const execute = promisify(execFile);
const tools = ['python', 'transformers', 'triton', 'perf-analyzer', 'electron'] as const;

/** Of `scripts/huggingface/make_folders.py`. */
export const model = 'distilbert-classes';
/** As many positions has the model. */
const mostTokens = 128;
export const threads = availableParallelism();
/** Clients that send at the same time, for the measurements and the search. */
export const concurrencies = [1, 4, 8] as const;

/** The pipeline as the workbench writes it, as its search configures it, and the framework's own with all threads and with one. */
export const sides = ['pipeline', 'found', 'framework', 'single'] as const;
export type Side = (typeof sides)[number];

/** What the search answered. */
export interface Found {
  readonly text: string;
  /** Clients at which it is the best. */
  readonly concurrency: number;
  readonly sentence: string;
}

export interface ServedPeers {
  readonly peers: Readonly<Record<Side, Peer>>;
  readonly found: Found;
  /** Of the framework. */
  readonly versions: string;
}

interface Home {
  readonly home: string;
  readonly app: string;
  /** The built command line in that home. @returns the document. Throws for codes that are no answer. */
  readonly cli: (args: readonly string[], answers?: readonly number[]) => Promise<unknown>;
}

const failureSchema = z.looseObject({ code: z.number(), stdout: z.string() });

async function makeHome(): Promise<Home> {
  const app = option('app', '.');
  const home = await mkdtemp(join(tmpdir(), 'workbench-huggingface-peers-'));
  for (const tool of tools) await symlink(join(option('home', ''), tool), join(home, tool));
  const env = {
    ...process.env,
    ...{ TRITON_WORKBENCH_HOME: home, TRITON_WORKBENCH_APP: app, XDG_CONFIG_HOME: join(home, 'no-config') },
    TRITON_WORKBENCH_RESOURCES: join(app, 'resources'),
  };
  const cli: Home['cli'] = async (args, answers = []) => {
    const own = [option('cli', ''), ...args, '--json'];
    const { stdout } = await execute(process.execPath, own, { env, maxBuffer: 2 ** 28 }).catch(
      (error: unknown) => {
        const failure = failureSchema.safeParse(error).data;
        if (failure === undefined || !answers.includes(failure.code)) throw error;
        return failure;
      },
    );
    return JSON.parse(stdout) as unknown;
  };
  return { home, app, cli };
}

/** The workbench's own texts for its references and loads. */
export const textsOf = (app: string): string => join(app, 'resources', 'huggingface', 'texts.txt');

/** @returns the folder, with random weights and a tokenizer that is learned from the texts */
async function makeFolder({ home, app }: Home): Promise<string> {
  const folders = join(home, 'folders');
  await mkdir(folders);
  const script = join(app, 'scripts', 'huggingface', 'make_folders.py');
  const env = { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' };
  await execute(homeLayout(home).transformers, [script, '--texts', textsOf(app), folders, model], { env });
  return join(folders, model);
}

const searchedSchema = z.looseObject({
  search: z.looseObject({ candidates: z.array(candidateSchema) }),
  answer: z.looseObject({
    winner: z.looseObject({ candidate: z.number(), load: z.number() }).nullable(),
    sentence: z.string(),
  }),
});

/** Searches the configuration of the model inside of the pipeline, under load on the pipeline. */
async function searchPipeline({ cli }: Home): Promise<Found> {
  const asked = [
    ...['search', 'peers', '--part', `${model}-model`, '--name', 'found'],
    ...['--load', 'closed', '--concurrency', concurrencies.join(','), '--p99', option('p99', '500ms')],
    ...['--budget', option('budget', '90s')],
  ];
  // 4: its budget ended before every configuration was judged.
  const { search, answer } = searchedSchema.parse(await cli(asked, [4]));
  const [present] = search.candidates;
  const winner = search.candidates[(answer.winner?.candidate ?? 0) - 1];
  if (answer.winner === null || present === undefined || winner === undefined)
    throw new Error(`The search has no answer: ${answer.sentence}`);
  const { load: concurrency } = answer.winner;
  return { text: candidateText(present, winner), concurrency, sentence: answer.sentence };
}

const deploymentSchema = z.looseObject({ httpUrl: z.string() });

/** A deployment is a Triton of its own, which waits while others are measured. */
async function deploy({ cli }: Home, name: string, more: readonly string[]): Promise<Peer> {
  const deployed = await cli(['deploy', 'peers', '--name', name, ...more]);
  return tritonPeer(deploymentSchema.parse(deployed).httpUrl, model);
}

/** Serves all of them from the folder on, in a home of their own, while the work is done. */
export async function servingPeers(
  signal: AbortSignal,
  work: (served: ServedPeers) => Promise<void>,
): Promise<void> {
  const own = await makeHome();
  const ends: (() => Promise<unknown>)[] = [() => rm(own.home, { recursive: true, force: true })];
  const deployed = (name: string, ...more: readonly string[]): Promise<Peer> => {
    signal.throwIfAborted();
    ends.push(() => own.cli(['deployments', 'remove', name, '--force']));
    return deploy(own, name, more);
  };
  try {
    const folder = await makeFolder(own);
    await own.cli([
      ...['run', folder, '--serve', 'pipeline', '--name', 'peers', '--profile', 'quick'],
      ...['--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '300'],
      ...['--set', 'performance.maxTrials=3', '--set', 'performance.stabilityPercentage=1000000'],
    ]);
    say('The pipeline is written, served once, and its answers are those of transformers');
    signal.throwIfAborted();
    const found = await searchPipeline(own);
    say(`Found: ${found.text}. ${found.sentence}`);
    const pipeline = await deployed('pipeline');
    const searched = await deployed('found', '--search', 'found');
    const start = async (count: number) => {
      const started = await startFramework(
        {
          ...{ python: homeLayout(own.home).transformers, folder, threads: count, mostTokens },
          script: join(own.app, 'scripts', 'bench', 'huggingface', 'peers_server.py'),
        },
        signal,
      );
      ends.push(() => started.stop());
      return started;
    };
    const [all, one] = [await start(threads), await start(1)];
    const peers = {
      ...{ pipeline, found: searched },
      ...{ framework: plainPeer(all.port), single: plainPeer(one.port) },
    };
    await work({ peers, found, versions: all.versions });
  } finally {
    for (const end of ends.reverse()) await end().catch((error: unknown) => say(String(error)));
  }
}
