import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { exists } from '../../../main/platform/files';
import { runGroup } from '../search/child-group';

const execute = promisify(execFile);
export const aiperfVersion = '0.13.0';

/** What both sides of a pair say of the same load. Milliseconds. */
export interface Answered {
  readonly requests: number;
  readonly ttftMs: number;
  /** The median of the requests' mean times between tokens. */
  readonly perTokenMs: number;
  readonly tokensPerRequest: number;
}

export interface FrontendLoad {
  /** `host:port` of the server of OpenAI's protocol. */
  readonly address: string;
  /** JSON lines. */
  readonly prompts: string;
  readonly outputTokens: number;
  readonly concurrency: number;
  readonly requests: number;
}

/** Its environment, made from PyPI with the workbench's own Python, once. @returns the program */
export async function installAiperf(python: string, tools: string): Promise<string> {
  const folder = join(tools, `aiperf-${aiperfVersion}`);
  const program = join(folder, 'bin', 'aiperf');
  if (await exists(program)) return program;
  await execute(python, ['-m', 'venv', folder]);
  const asked = ['install', '--quiet', `aiperf==${aiperfVersion}`];
  await execute(join(folder, 'bin', 'pip'), asked, { maxBuffer: 2 ** 26 });
  return program;
}

/** AIPerf asks for one although the server counts: words, which no request is counted by. */
async function writeTokenizer(dir: string): Promise<string> {
  const folder = join(dir, 'tokenizer');
  await mkdir(folder, { recursive: true });
  const words = Object.fromEntries(['[UNK]', 'What', 'is', 'Triton', '?'].map((word, id) => [word, id]));
  const unknown = {
    ...{ id: 0, content: '[UNK]', special: true, normalized: false },
    ...{ lstrip: false, rstrip: false, single_word: false },
  };
  const tokenizer = {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [unknown], normalizer: null },
    ...{ pre_tokenizer: { type: 'Whitespace' }, post_processor: null, decoder: null },
    model: { type: 'WordLevel', vocab: words, unk_token: '[UNK]' },
  };
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', unk_token: '[UNK]', model_max_length: 4096 };
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  return folder;
}

const metricSchema = z.looseObject({ unit: z.string(), avg: z.number(), p50: z.number() });
const resultSchema = z.looseObject({
  request_count: z.looseObject({ avg: z.number() }),
  time_to_first_token: metricSchema,
  inter_token_latency: metricSchema,
  output_sequence_length: z.looseObject({ avg: z.number() }),
});

function msOf({ unit, p50 }: z.infer<typeof metricSchema>): number {
  if (unit !== 'ms') throw new Error(`AIPerf states a time in ${unit}`);
  return p50;
}

/** One profile, from the start of its processes to their end. Throws with its last lines. */
export async function runAiperf(
  program: string,
  { address, prompts, outputTokens, concurrency, requests }: FrontendLoad,
  home: string,
  signal: AbortSignal,
): Promise<Answered> {
  const dir = await mkdtemp(join(home, 'aiperf-'));
  const artifacts = join(dir, 'artifacts');
  const fixed = { max_tokens: outputTokens, ignore_eos: true, temperature: 0 };
  const argv: [string, ...string[]] = [
    program,
    ...['profile', '-m', 'lm', '--endpoint-type', 'chat', '--streaming', '-u', `http://${address}`],
    ...['--input-file', prompts, '--custom-dataset-type', 'single_turn'],
    ...Object.entries(fixed).flatMap(([name, value]) => ['--extra-inputs', `${name}:${String(value)}`]),
    ...['--concurrency', String(concurrency), '--request-count', String(requests)],
    ...['--tokenizer', await writeTokenizer(dir), '--use-server-token-count'],
    ...['--no-gpu-telemetry', '--no-server-metrics', '--ui', 'none', '--artifact-dir', artifacts],
  ];
  await runGroup({ argv, env: process.env, cwd: dir, log: join(dir, 'aiperf.log') }, signal);
  const text = await readFile(join(artifacts, 'profile_export_aiperf.json'), 'utf8');
  const found = resultSchema.parse(JSON.parse(text));
  return {
    requests: found.request_count.avg,
    ttftMs: msOf(found.time_to_first_token),
    perTokenMs: msOf(found.inter_token_latency),
    tokensPerRequest: found.output_sequence_length.avg,
  };
}
