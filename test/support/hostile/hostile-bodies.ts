import { createHash } from 'node:crypto';
import { modelsOf, type NameSet, nameSets, probedModel, steeringText } from './hostile-texts';

/** Just below what the workbench reads of an answer, 8 MiB. */
const large = 8 * 2 ** 20 - 4096;

/** What is asked of the server. */
export const questions = [
  'ready',
  'server',
  'index',
  'statistics',
  'metrics',
  'model',
  'config',
  'infer',
] as const;
export type Question = (typeof questions)[number];

/** Makes the body; `turn` is another number every second. */
export type Body = (turn: number) => string | Buffer;

const filled = (
  piece: (at: number) => string,
  separator: string,
  most = large,
  mostPieces = Infinity,
): string => {
  const parts: string[] = [];
  let length = 0;
  for (let at = 0; length < most && at < mostPieces; at += 1) {
    const part = piece(at);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.slice(0, -1).join(separator);
};

/** Every turn the same, made when it is first asked for. */
const always = (make: () => string | Buffer): Body => {
  let made: Buffer | null = null;
  return () => (made ??= Buffer.from(make()));
};

/** Answers that any question may get. */
export const anyBody: Readonly<Record<string, Body>> = {
  'lists a million deep': always(() => '['.repeat(large)),
  'objects a million deep': always(() => '{"a":'.repeat(large / 5)),
  'a list of numbers': always(() => `[${filled(() => '0', ',')}]`),
  'a list of empty objects': always(() => `[${filled(() => '{}', ',')}]`),
  'a list of empty lists': always(() => `[${filled(() => '[]', ',')}]`),
  'objects of other keys each': always(() => `[${filled((at) => `{"${at.toString(36)}":0}`, ',')}]`),
  'an object of a million keys': always(() => `{${filled((at) => `"${at.toString(36)}":0`, ',')}}`),
  // As many values and different keys as the workbench parses at most.
  '240,000 empty objects': always(() => `[${filled(() => '{}', ',', large, 240_000)}]`),
  '9,900 objects of other keys each': always(
    () => `[${filled((at) => `{"${at.toString(36)}":0}`, ',', large, 9900)}]`,
  ),
  '9,900 keys': always(() => `{${filled((at) => `"${at.toString(36)}":0`, ',', large, 9900)}}`),
  '490,000 numbers': always(() => `[${filled(() => '1.5', ',', large, 490_000)}]`),
  'one long text': always(() => `"${'x'.repeat(large - 2)}"`),
  'bytes that are no UTF-8': always(() => Buffer.alloc(large, 0xfe)),
  nothing: always(() => ''),
  'an error that steers': always(() =>
    JSON.stringify({ error: Array.from({ length: 500 }, (_u, at) => steeringText(at)).join(' ') }),
  ),
};

const counts = [50, 1000, 5000, 20_000, 60_000];
const states = ['READY', 'UNAVAILABLE', 'LOADING', 'UNLOADING', 'READY', 'SOMETHING'];

const index =
  (set: NameSet, count: number): Body =>
  (turn) =>
    JSON.stringify(
      modelsOf(set, count, turn).map((model, at) => ({
        ...model,
        state: at === 0 ? 'READY' : states[(at + turn) % states.length],
        reason:
          set === 'steering' ? steeringText(at + turn) : at % 5 === 0 ? `because ${turn} `.repeat(20) : '',
      })),
    );

const duration = (count: number) => ({ count, ns: count * 1_000_003 });
const statisticsOf = (count: number) => ({
  last_inference: count,
  inference_count: count * 2,
  execution_count: count,
  inference_stats: {
    ...{ success: duration(count), fail: duration(count % 7), queue: duration(count) },
    ...{ compute_input: duration(count), compute_infer: duration(count), compute_output: duration(count) },
  },
});

const statistics =
  (set: NameSet, count: number): Body =>
  (turn) =>
    JSON.stringify({
      model_stats: modelsOf(set, count, turn).map((model, at) => ({
        ...model,
        ...statisticsOf(turn * (at % 100)),
      })),
    });

/** One model with this in place of what it counted. */
const counted = (part: () => string): Body =>
  always(() => `{"model_stats":[{"name":"${probedModel.name}","version":"1",${part()}}]}`);

const bySets = (make: (set: NameSet, count: number) => Body, most: number): Record<string, Body> =>
  Object.fromEntries(
    nameSets.flatMap((set) =>
      counts
        .filter((count) => count <= most)
        .map((count): [string, Body] => [`${count} ${set} names`, make(set, count)]),
    ),
  );

/** GPUs have names of 36 hexadecimal digits. */
const gpuName = (turn: number, at: number) =>
  `GPU-${createHash('sha1').update(`${turn}-${at}`).digest('hex').slice(0, 36)}`;
const gpuLines = (names: readonly string[]) =>
  names
    .map(
      (name, at) =>
        `nv_gpu_utilization{gpu_uuid="${name}"} 0.${at % 10}\nnv_gpu_memory_used_bytes{gpu_uuid="${name}"} ${at}\n`,
    )
    .join('');
const gpus =
  (count: number): Body =>
  (turn) =>
    gpuLines(Array.from({ length: count }, (_unused, at) => gpuName(turn, at)));

const metadata =
  (inputs: unknown): Body =>
  () =>
    JSON.stringify({ name: probedModel.name, versions: ['1'], platform: 'onnx', inputs, outputs: [] });
const inputOf = (shape: readonly unknown[], datatype = 'FP32') => ({ name: 'INPUT', datatype, shape });
const config =
  (part: object): Body =>
  () =>
    JSON.stringify({ name: probedModel.name, max_batch_size: 0, ...part });
const ensembleOf =
  (count: number, nameAt: (turn: number, at: number) => string): Body =>
  (turn) =>
    config({
      ensemble_scheduling: {
        step: Array.from({ length: count }, (_unused, at) => ({
          model_name: nameAt(turn, at),
          model_version: -1,
        })),
      },
    })(turn);

/** What is wrong for this question only. */
export const ownBodies: Readonly<Record<Question, Readonly<Record<string, Body>>>> = {
  ready: {},
  server: {
    'a version that steers': always(() =>
      JSON.stringify({ name: steeringText(1), version: steeringText(2), extensions: [] }),
    ),
    'a version of a million letters': always(() =>
      JSON.stringify({ name: 'triton', version: 'v'.repeat(2 ** 20) }),
    ),
    'extensions without end': always(
      () => `{"name":"t","version":"1","extensions":[${filled(() => '0', ',')}]}`,
    ),
  },
  index: {
    ...bySets(index, 60_000),
    'as many names as fit': (turn) => `[${filled((at) => `{"name":"${turn}-${at.toString(36)}"}`, ',')}]`,
  },
  statistics: {
    ...bySets(statistics, 20_000),
    'batch sizes without end': counted(
      () => `"batch_stats":[${filled((at) => `{"batch_size":${at}}`, ',')}]`,
    ),
    '49,000 batch sizes': counted(() => `"batch_stats":[${filled(() => '{}', ',', large, 49_000)}]`),
    'numbers for batch sizes': counted(() => `"batch_stats":[${filled(() => '0', ',')}]`),
    'counters beyond every number': counted(() => '"inference_count":1e400,"execution_count":1e308'),
    'numbers for models': always(() => `{"model_stats":[${filled(() => '0', ',')}]}`),
  },
  metrics: {
    'three GPUs with new names': gpus(3),
    '64 GPUs with new names': gpus(64),
    '20,000 GPUs with new names': gpus(20_000),
    'GPUs with names that steer': always(() =>
      gpuLines(Array.from({ length: 80 }, (_unused, at) => steeringText(at).replaceAll('\n', ''))),
    ),
    'a million lines': always(() => filled((at) => `m${at % 10} 1`, '\n')),
    'a million series': (turn) => filled((at) => `m{a="${turn}-${at}"} 1`, '\n'),
    'one line': always(() => `nv_gpu_utilization{gpu_uuid="${'g'.repeat(large)}"} 1`),
    'labels without end': always(() => `m{${filled((at) => `l${at}="1"`, ',', 60_000)}} 1\n`.repeat(100)),
    'blanks and braces': always(() => `m{${'} '.repeat(30_000)}\n`.repeat(100)),
    'values beyond every number': always(() => gpuLines(['GPU-1']).replaceAll(/ [\d.]+$/gm, ' 1e400')),
  },
  model: {
    'a shape beyond all memory': metadata([inputOf([1e15])]),
    'a shape of 8 GiB': metadata([inputOf([2 ** 31])]),
    'texts of 8 GiB': metadata([inputOf([2 ** 26], 'BYTES')]),
    'a shape that overflows': metadata([inputOf([1e200, 1e200])]),
    'a broken shape': metadata([inputOf([0.5, 3])]),
    'a shape of words': metadata([inputOf(Array.from({ length: 100_000 }, () => 'x'))]),
    'ten thousand inputs': metadata(
      Array.from({ length: 10_000 }, (_unused, at) => ({ ...inputOf([1000]), name: `I${at}` })),
    ),
    'inputs that steer': metadata([{ ...inputOf([-1], steeringText(1)), name: steeringText(3) }]),
    'numbers for inputs': always(() => `{"name":"m","inputs":[${filled(() => '0', ',')}]}`),
  },
  config: {
    'an ensemble of itself': ensembleOf(1, () => probedModel.name),
    'an ensemble of thousands': ensembleOf(5000, (_turn, at) => `part-${at}`),
    'an ensemble of new names': ensembleOf(300, (turn, at) => `part-${turn}-${at}`),
    'an ensemble that steers': ensembleOf(10, (_turn, at) => steeringText(at)),
    'words for numbers': config({ max_batch_size: steeringText(2) }),
    'parameters without end': always(
      () => `{"name":"m","parameters":{${filled((at) => `"${at}":{"string_value":"x"}`, ',')}}}`,
    ),
    'numbers for inputs': always(() => `{"name":"m","input":[${filled(() => '0', ',')}]}`),
  },
  infer: {
    'outputs without end': always(() => `{"outputs":[${filled(() => '0', ',')}]}`),
    'an output without bytes': always(
      () =>
        '{"model_name":"m","outputs":[{"name":"OUTPUT","datatype":"FP32","shape":[4],"parameters":{"binary_data_size":1e12}}]}',
    ),
  },
};

/** The answer of a Triton that has nothing against anybody. */
export const honestBodies: Readonly<Record<Exclude<Question, 'infer'>, Body>> = {
  ready: () => '',
  server: () => JSON.stringify({ name: 'triton', version: '2.51.0', extensions: ['statistics'] }),
  index: index('steady', 40),
  statistics: statistics('steady', 40),
  metrics: () => gpuLines(['GPU-steady']),
  model: () =>
    JSON.stringify({
      ...{ name: probedModel.name, versions: ['1'], platform: 'onnx' },
      inputs: [inputOf([4])],
      outputs: [{ ...inputOf([4]), name: 'OUTPUT' }],
    }),
  config: config({
    input: [{ name: 'INPUT', data_type: 'TYPE_FP32', dims: [4] }],
    output: [{ name: 'OUTPUT', data_type: 'TYPE_FP32', dims: [4] }],
  }),
};
