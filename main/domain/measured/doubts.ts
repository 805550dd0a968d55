import { isLoopback } from '../../contract/address';
import { isSteady } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import { formatCount, formatMeasured, formatShare, formatTyped } from '../../contract/numbers';
import { isElsewhere } from '../../contract/run/engine-kinds';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { outcomeOf } from '../../contract/run/run-outcome';
import { bySource, performanceOf } from '../../contract/run/run-source';
import { defaultErrorPercentage } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { type Sweep, sweepOf } from '../../contract/run/sweep';
import { clipped } from '../../contract/words';
import { standInText } from '../run/served-by';
import { largestOf } from '../statistics';
import { answerOf } from './answer';
import { crossCheckOf } from './cross-check';
import { type Level, levelsOf } from './points';

type Flag = LoadPoint['flags'][number];

/** Half-width of the best level's 95 % interval, as a share of its throughput, that is reported. */
const wideInterval = 0.1;
/** Share of the machine's cores above which the load generator is reported. */
const largeClientShare = 0.1;
/** More levels per scenario are counted, not listed. */
const listedLevels = 6;
const longestReason = 150;

/** Consequence of a flag for the figures; "not steady" is covered by `steady`. */
const consequences = (errorPercentage: number): readonly (readonly [Flag, string])[] => [
  ['errors', `more than ${formatTyped(errorPercentage)} % of the requests failed`],
  ['client-saturated', 'the load generator was the limit (client-limited), so the server may be faster'],
  ['machine-busy', 'other work on the machine held up the load generator, so latencies may read too high'],
  ['rate-not-reached', 'the server was slower than the request rate'],
];

const sweptName = {
  batchSize: 'batch size',
  concurrency: 'concurrency',
  requestRate: 'request rate',
} as const;

interface Swept {
  readonly id: Scenario;
  readonly sweep: Sweep;
  readonly levels: readonly Level[];
}

interface Of {
  readonly scenario: Swept;
  readonly level: Level;
}

const loadText = ({ batchSize, concurrency, requestRate }: Level, sweep: Sweep): string =>
  sweep === 'batchSize'
    ? formatCount(batchSize)
    : requestRate === undefined
      ? formatCount(concurrency)
      : formatTyped(requestRate);

/** "offline batch size 8, 16; online concurrency 32". */
function levelsText(levels: readonly Of[]): string {
  return [...new Set(levels.map(({ scenario }) => scenario))]
    .map((scenario) => {
      const own = levels.filter((of) => of.scenario === scenario).map(({ level }) => level);
      const total = scenario.levels.length;
      if (own.length > listedLevels) return `${own.length} of ${total} ${scenario.id} levels`;
      const swept = own.map((level) => loadText(level, scenario.sweep));
      return `${scenario.id} ${sweptName[scenario.sweep]} ${swept.join(', ')}`;
    })
    .join('; ');
}

const levelCount = (some: number, all: number): string =>
  some === all
    ? all === 1
      ? 'The only level'
      : `All ${formatCount(all)} levels`
    : `${formatCount(some)} of ${formatCount(all)} levels`;

function steadiness(measured: readonly Of[]): readonly string[] {
  const unsteady = measured.filter(({ level: { point } }) => point !== null && !isSteady(point));
  if (unsteady.length === 0) return [];
  if (unsteady.length === measured.length) {
    return ['No level is steady: the figures above can change when the run is repeated.'];
  }
  return [
    `${levelCount(unsteady.length, measured.length)} ${unsteady.length === 1 ? 'is' : 'are'} not steady (${levelsText(unsteady)}): ${unsteady.length === 1 ? 'its' : 'their'} figures can change when the run is repeated.`,
  ];
}

const flagged = (state: RunState, measured: readonly Of[]): readonly string[] =>
  consequences(performanceOf(state)?.errorPercentage ?? defaultErrorPercentage).flatMap(
    ([flag, consequence]) => {
      const levels = measured.filter(({ level }) => level.point?.flags.includes(flag));
      if (levels.length === 0) return [];
      const where = levels.length === measured.length ? '' : ` (${levelsText(levels)})`;
      const who =
        levels.length === measured.length ? 'every level' : levelCount(levels.length, measured.length);
      return [`At ${who}${where}, ${consequence}.`];
    },
  );

function holes(all: readonly Of[]): readonly string[] {
  const none = all.filter(({ level }) => level.point === null);
  const [first] = none;
  if (first === undefined) return [];
  const reason = clipped(first.level.hole?.reason ?? '', longestReason).replace(/\.$/, '');
  return [
    `${levelCount(none.length, all.length)} ${none.length === 1 ? 'has' : 'have'} no result (${levelsText(none)})${reason === '' ? '' : `: ${reason}`}.`,
  ];
}

function precision(state: RunState): readonly string[] {
  const point = answerOf(state)?.level?.point;
  const half = point?.throughputIntervalIps ?? null;
  if (point === undefined || half === null || !(half > wideInterval * point.inferencesPerSecond)) return [];
  const share = formatShare(half / point.inferencesPerSecond);
  return [`The throughput of the best level is known only to ± ${share} (95 % interval).`];
}

function generator(state: RunState, measured: readonly Of[]): readonly string[] {
  const { cpuCount } = state.environment;
  const shares = measured.map(({ level }) => level.point?.client?.cpuShare ?? 0);
  const most = Math.max(0, largestOf(shares));
  const apart = bySource(state.source, {
    imported: () => true,
    server: ({ addresses }) => !isLoopback(addresses.http),
    deployed: ({ engine }) => isElsewhere(engine),
  });
  if (apart || cpuCount === 0 || most < largeClientShare * cpuCount) return [];
  return [
    `The load generator ran on the same machine as Triton and used up to ${formatMeasured(most)} of its ${formatCount(cpuCount)} CPU cores.`,
  ];
}

function responses(measured: readonly Of[]): readonly string[] {
  const checks = measured.flatMap(({ level }) => level.point?.outputChecks ?? []);
  const wrong = checks.reduce((sum, { wrongCount }) => sum + wrongCount, 0);
  const checked = checks.reduce((sum, { checkedCount }) => sum + checkedCount, 0);
  const open = measured.some(({ level }) => level.point?.tls?.verified === false);
  return [
    ...(wrong === 0
      ? []
      : [`${formatCount(wrong)} of ${formatCount(checked)} responses checked under load were wrong.`]),
    ...(open ? ['The certificate of the server was not verified.'] : []),
  ];
}

function crossChecks(state: RunState): readonly string[] {
  const levels = scenarios.flatMap((scenario) => crossCheckOf(state, scenario) ?? []);
  const differing = levels.filter(({ columns }) => columns.some(({ verdict }) => verdict === 'differs'));
  if (differing.length === 0) return [];
  return [
    `The two load tools differ at ${formatCount(differing.length)} of ${formatCount(levels.length)} levels.`,
  ];
}

function accuracy(state: RunState): readonly string[] {
  const result = state.accuracy?.result;
  if (result === undefined) return ['Accuracy against the framework was not checked.'];
  const vacuous = result.outputs.filter((output) => output.vacuous).map(({ output }) => output);
  return [
    ...(result.passed
      ? []
      : ['The accuracy check did not pass: the results on Triton differ from the framework’s.']),
    ...(vacuous.length === 0
      ? []
      : [
          clipped(
            `The tolerance of ${vacuous.join(', ')} is too wide for any realistic output to fail it.`,
            longestReason,
          ),
        ]),
  ];
}

const origin = ({ source }: RunState): readonly string[] =>
  bySource(source, {
    imported: ({ notes }) => [
      'The figures were imported and not measured here: machine, model and accuracy are unknown.',
      ...notes.map((note) => clipped(note, longestReason)),
    ],
    server: () => [],
    deployed: ({ model }) =>
      model.profile === 'quick' && model.source === undefined
        ? ['The model is the reduced one of the quick profile: the figures do not hold for the full model.']
        : [],
  });

/** Reasons for caution beside the answer's own, one sentence each, gravest first; none without an answer. */
export function doubtsOf(state: RunState): readonly string[] {
  const swept = scenarios.map((id): Swept => {
    const levels = levelsOf(state, id);
    return { id, levels, sweep: sweepOf(id, levels) };
  });
  const all = swept.flatMap((scenario) => scenario.levels.map((level) => ({ scenario, level })));
  const measured = all.filter(({ level }) => level.point !== null);
  if (measured.length === 0) return [];
  const partial = outcomeOf(state) !== 'done';
  const standIn = standInText(state);
  return [
    ...steadiness(measured),
    ...flagged(state, measured),
    ...precision(state),
    ...(state.source.kind === 'imported' ? [] : accuracy(state)),
    ...(partial ? ['The run has not finished: the answer rests on the levels measured so far.'] : []),
    ...holes(all),
    ...responses(measured),
    ...crossChecks(state),
    ...(standIn === null ? [] : [standIn]),
    ...generator(state, measured),
    ...origin(state),
  ];
}
