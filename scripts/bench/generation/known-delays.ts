import type { Endpoint } from '../../../main/contract/load/generation';
import type { LoadPoint } from '../../../main/contract/measured/results';
import type { LoadTool } from '../../../main/perf/load-tool';
import type { Judged } from '../bench-facts';
import { median } from '../pairs';
import { levelOf, type ServedModel } from './served-model';

/** Milliseconds between what the model wrote into its answers and what was measured. */
const withinMs = 2;
const stallMs = 1000;
const load = { outputTokens: 16, concurrency: 4 };
/** Ways in whose answers have no usage, so that the measurement keeps their text. */
const ways = [
  { endpoint: 'grpc-stream', prompt: 'fine' },
  { endpoint: 'generate-stream', prompt: 'fine' },
  { endpoint: 'chat', prompt: 'uncounted' },
] as const satisfies readonly { readonly endpoint: Endpoint; readonly prompt: string }[];

/** As the model wrote them, milliseconds. */
interface Written {
  readonly ttftMs: readonly number[];
  readonly gapsMs: readonly number[];
  /** Outputs with a pause of a second. */
  readonly stalled: number;
}

/** Times of one output: "begun/first second third", nanoseconds. */
function timesOf(text: string): { readonly begun: bigint; readonly sent: readonly bigint[] } {
  const [begun = '', answers = ''] = text.split('/');
  return { begun: BigInt(begun), sent: answers.split(' ').map((part) => BigInt(part)) };
}

const ms = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

function writtenIn(texts: readonly string[]): Written {
  const all = texts.map(timesOf);
  const gapsOf = (sent: readonly bigint[]) => sent.slice(1).map((at, index) => ms(at - (sent[index] ?? at)));
  const gaps = all.map(({ sent }) => gapsOf(sent));
  return {
    ttftMs: all.map(({ begun, sent: [first = begun] }) => ms(first - begun)),
    gapsMs: gaps.flat(),
    stalled: gaps.filter((some) => some.some((gap) => gap >= stallMs)).length,
  };
}

async function measured(
  tool: LoadTool,
  served: ServedModel,
  asked: { readonly endpoint: Endpoint; readonly prompts: readonly string[]; readonly requests: number },
  dir: string,
): Promise<{ readonly point: LoadPoint; readonly written: Written }> {
  const input = await levelOf(served, { ...load, ...asked }, dir);
  const texts: string[] = [];
  const point = await tool.measure({
    ...input,
    settings: { ...input.settings, generation: { endpoint: asked.endpoint } },
    countTokens: (outputs) => {
      texts.push(...outputs);
      return Promise.resolve(outputs.map((text) => text.split(' ').length));
    },
  });
  return { point, written: writtenIn(texts) };
}

function judgedDelay(name: string, measuredUs: number | undefined, writtenMs: readonly number[]): Judged {
  const own = (measuredUs ?? Number.NaN) / 1000;
  const wanted = median(writtenMs);
  return {
    name,
    value: `${own.toFixed(2)} ms (the model: ${wanted.toFixed(2)} ms)`,
    limit: `within ${withinMs} ms`,
    kept: Math.abs(own - wanted) <= withinMs,
  };
}

async function judgedWay(
  tool: LoadTool,
  served: ServedModel,
  { endpoint, prompt }: (typeof ways)[number],
  dir: string,
): Promise<readonly Judged[]> {
  const { point, written } = await measured(tool, served, { endpoint, prompts: [prompt], requests: 60 }, dir);
  const { generation } = point;
  const found = await measured(
    tool,
    served,
    { endpoint, prompts: [`${prompt} stall`, prompt, prompt, prompt], requests: 16 },
    dir,
  );
  const { generation: halted } = found.point;
  const mostMs = (halted?.interTokenLatency?.maxUs ?? Number.NaN) / 1000;
  const wroteMs = Math.max(...found.written.gapsMs);
  return [
    judgedDelay(`${endpoint}: median TTFT`, generation?.timeToFirstToken?.p50Us, written.ttftMs),
    judgedDelay(`${endpoint}: median ITL`, generation?.interTokenLatency?.p50Us, written.gapsMs),
    {
      name: `${endpoint}: longest ITL with a pause of one second`,
      value: `${mostMs.toFixed(1)} ms (the model: ${wroteMs.toFixed(1)} ms)`,
      // The largest single time has what the machine adds to it.
      limit: 'at least 1000 ms',
      kept: mostMs >= stallMs && wroteMs >= stallMs,
    },
    {
      name: `${endpoint}: requests marked as stalled`,
      value: `${halted?.stalledRequests ?? 0} (the model: ${found.written.stalled})`,
      limit: 'the same',
      kept: found.written.stalled > 0 && halted?.stalledRequests === found.written.stalled,
    },
  ];
}

/** The measured times beside those that the model wrote into its own answers. */
export async function judgeKnownDelays(
  tool: LoadTool,
  served: ServedModel,
  dir: string,
): Promise<readonly Judged[]> {
  const rows: Judged[] = [];
  for (const way of ways) rows.push(...(await judgedWay(tool, served, way, dir)));
  return rows;
}
