import type { CapacityAsk } from '../../contract/measured/capacity-ask';
import type { CapacityDocument } from '../../contract/measured/capacity-document';
import type { ModelMemory } from '../../contract/measured/model-memory';
import {
  formatBytes,
  formatCount,
  formatFixed,
  formatMeasured,
  formatRate,
  formatShortShare,
  formatTyped,
} from '../../contract/numbers';
import type { RunState } from '../../contract/run/run-state';
import { bestLevelText, levelDoubts, levelFigures } from './answer';
import {
  type Capacity,
  decisiveLevels,
  isCapacity,
  type NoCapacity,
  type NotHeld,
  whyNotHeld,
} from './capacity';
import { modelMemoryFacts, serversThatFit } from './memory-fit';
import { levelDocument } from './verdict';

export type Fact = readonly [name: string, value: string];

const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

const spareText = (spare: number): string => (['no', 'one'] as const)[spare] ?? formatCount(spare);

/** "4 replicas on 4 GPUs hold 5,000 inferences/s within a p99 of 20 ms, with 30 % headroom and one spare". */
function sentenceOf({ ask, replicas, gpus }: Capacity): string {
  const on = gpus === null ? '' : gpus === 0 ? ' on CPUs' : ` on ${counted(gpus, 'GPU')}`;
  const holds = replicas === 1 ? 'holds' : 'hold';
  const { rate, p99Ms, headroom, spare } = ask;
  const plan = `${formatTyped(headroom * 100)} % headroom and ${spareText(spare)} spare`;
  return `${counted(replicas, 'replica')}${on} ${holds} ${formatTyped(rate)} inferences/s within a p99 of ${formatTyped(p99Ms)} ms, with ${plan}`;
}

const closedNote = 'Measured in a closed loop; only an open-loop measurement supports a promise.';

/** The answer, or why there is none: what a reader has to see at least. */
export const capacityText = (found: Capacity | NoCapacity): string =>
  isCapacity(found) ? `${sentenceOf(found)}.${found.isOpen ? '' : ` ${closedNote}`}` : found.text;

const failedText = (level: NotHeld): string => `${level.reason} (${bestLevelText(level)})`;

/** What limits the answer beside how it was measured, whole sentences. */
export function capacityNotes({ held, isOpen, lower }: Capacity): readonly string[] {
  const { scheduled, requestDistribution, batchSize } = held.point;
  return [
    ...lower.map((level) => `A lower load misses the target: ${failedText(level)}.`),
    ...levelDoubts(held).map(({ text }) => `At this level, ${text}.`),
    ...(isOpen && scheduled === undefined
      ? [
          'The p99 counts from the send: this load tool keeps no schedule, so waits before the send are left out.',
        ]
      : []),
    ...(isOpen && requestDistribution === 'constant'
      ? ['Requests were sent at constant intervals. Arrivals from many clients are less even (Poisson).']
      : []),
    ...(batchSize > 1
      ? [`Each request has ${formatCount(batchSize)} inferences. Smaller requests have another rate.`]
      : []),
  ];
}

function gpuText({ gpus, gpusPerReplica }: Capacity): string {
  if (gpus === null || gpusPerReplica === null) return 'not known';
  return gpus === 0
    ? '0, measured on a CPU'
    : `${formatCount(gpus)}, ${formatCount(gpusPerReplica)} per replica`;
}

function costFacts({ cost }: Capacity): readonly Fact[] {
  if (cost === null) return [];
  const { perMonth, perMillionAtRate, perMillionAtFullUse } = cost;
  return [
    ['Cost per month (730 h)', formatFixed(perMonth, 2)],
    [
      'Cost per million inferences',
      `${formatMeasured(perMillionAtRate)} at the asked rate, ${formatMeasured(perMillionAtFullUse)} at full use`,
    ],
  ];
}

/** As far as it is known: a run reads how full the GPUs are; the rest is measured where somebody asks for it. */
function memoryFacts(state: RunState, { memory, serversPerGpu, modelMemory }: Capacity): readonly Fact[] {
  const used = memory.flatMap(({ usedBytes, totalBytes }) =>
    usedBytes === null || totalBytes === null
      ? []
      : [`${formatBytes(usedBytes)} of ${formatBytes(totalBytes)}`],
  );
  const files = state.steps.flatMap(({ facts }) => facts).filter(({ name }) => name === 'Model file');
  return [
    ...(used.length === 0
      ? []
      : [['GPU memory in use', `${used.join('; ')}, other programs included`] as const]),
    ...(serversPerGpu === null || modelMemory !== null
      ? []
      : [
          [
            'Servers that fit on a GPU by memory',
            `${formatCount(serversPerGpu)}; they would share its compute`,
          ] as const,
        ]),
    ...files.slice(-1).map(({ value }): Fact => ['Model file', value]),
    ...(modelMemory === null
      ? [['Memory of context, weights and one instance', 'not measured'] as const]
      : modelMemoryFacts(modelMemory)),
  ];
}

/** The record behind an answer, as names and values. */
export function capacityFacts(state: RunState, found: Capacity): readonly Fact[] {
  const { ask, held, heldRate, replicas, next, energyJ } = found;
  const each = ask.rate / replicas;
  return [
    ['One replica holds', levelFigures(held, null)],
    [
      'Next higher load',
      next === null ? 'not measured: a replica may hold more' : `misses the target: ${failedText(next)}`,
    ],
    [
      'Replicas',
      `${formatCount(replicas - ask.spare)} for the rate with headroom, ${spareText(ask.spare)} spare`,
    ],
    ['GPUs', gpuText(found)],
    [
      'Each replica at the asked rate',
      `${formatRate(each)} inferences/s, ${formatShortShare(each / heldRate)} of what it holds`,
    ],
    ...costFacts(found),
    [
      'Energy per inference',
      energyJ === null
        ? 'not measured: no GPU power was read'
        : `${formatMeasured(energyJ)} J at full use, GPUs only`,
    ],
    ...memoryFacts(state, found),
  ];
}

/** All of it, a line each: what the command prints and the window copies. */
export function capacityLines(state: RunState, found: Capacity | NoCapacity): readonly string[] {
  if (!isCapacity(found)) return [found.text];
  return [
    capacityText(found),
    ...capacityNotes(found),
    '',
    ...capacityFacts(state, found).map(([name, value]) => `${name}: ${value}`),
    `Run: ${state.name === null ? state.runId : `${state.name} (${state.runId})`}`,
  ];
}

const modelMemoryDocument = (memory: ModelMemory | null): CapacityDocument['modelMemory'] =>
  memory === null
    ? null
    : {
        ...memory,
        serversThatFit: {
          byGpuMemory: serversThatFit(memory, 'gpuBytes'),
          byHostMemory: serversThatFit(memory, 'hostBytes'),
        },
      };

/** The same for machines. */
export function capacityDocument(
  state: RunState,
  asked: CapacityAsk,
  found: Capacity | NoCapacity,
): CapacityDocument {
  const document = {
    kind: 'triton-workbench-capacity' as const,
    version: 1 as const,
    ...{ runId: state.runId, asked, text: capacityText(found) },
    curve: decisiveLevels(state).map((level) => ({
      ...levelDocument(level),
      holds: whyNotHeld(level.point, asked.p99Ms) === null,
    })),
  };
  if (!isCapacity(found)) {
    const none = { replicas: null, gpus: null, replica: null, next: null, cost: null, memory: null };
    const modelMemory = modelMemoryDocument(state.memory);
    return { ...document, ...none, modelMemory, energyJoulesPerInference: null, notes: [] };
  }
  const { replicas, gpus, cost, held, heldRate, isOpen, gpusPerReplica, next, memory } = found;
  return {
    ...{ ...document, replicas, gpus, cost },
    replica: {
      ...{ level: levelDocument(held), inferencesPerSecond: heldRate, open: isOpen, gpus: gpusPerReplica },
    },
    next: next === null ? null : { ...levelDocument(next), reason: next.reason },
    energyJoulesPerInference: found.energyJ,
    memory: memory.length === 0 ? null : { gpus: [...memory], serversPerGpu: found.serversPerGpu },
    modelMemory: modelMemoryDocument(found.modelMemory),
    notes: [...(isOpen ? [] : [closedNote]), ...capacityNotes(found)],
  };
}
