import type { TaskFigure, TaskFigureName, Truth, TruthOf } from '../../contract/measured/task-figures';
import { largestOf } from '../statistics';
import type { DecodedTensor } from './decoded-tensor';
import { type JudgedImage, meanAveragePrecision } from './mean-precision';
import { isExactMatch, tokenF1, wordErrorRate } from './text-figures';

/** A sample with one row whose true answer is known, and what two have answered to it. */
export interface LabeledAnswer {
  readonly truth: Truth;
  /** Of the golden file, also where they are not compared. */
  readonly framework: readonly DecodedTensor[];
  readonly triton: readonly DecodedTensor[];
}

interface Judged<Of extends Truth> {
  readonly truth: Of;
  /** Outputs by name. */
  readonly answer: ReadonlyMap<string, DecodedTensor>;
}

type Figures = Partial<Record<TaskFigureName, number | null>>;

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
const shareOf = (are: readonly boolean[]): number | null => mean(are.map(Number));

/** Of an output that the answer lacks: none. */
const textsOf = ({ answer }: Judged<Truth>, output: string): readonly string[] =>
  Array.from((answer.get(output)?.values ?? []) as ArrayLike<number | string>, String);
const numbersOf = ({ answer }: Judged<Truth>, output: string): readonly number[] =>
  Array.from((answer.get(output)?.values ?? []) as ArrayLike<number | string>, Number);
const textOf = (sample: Judged<Truth>, output: string): string => textsOf(sample, output)[0] ?? '';

/** 0 where nothing is right; null where neither exists. */
const f1Of = (right: number, given: number, wanted: number): number | null =>
  given + wanted === 0 ? null : (2 * right) / (given + wanted);

/** Mean over the labels that are true of a sample or answered, each with the same weight, as in scikit-learn. */
function labelFigures(samples: readonly Judged<TruthOf<'label'>>[]): Figures {
  const pairs = samples.map((sample) => ({ wanted: sample.truth.label, given: textOf(sample, 'LABEL') }));
  const labels = [...new Set(pairs.flatMap(({ wanted, given }) => [wanted, given]))];
  const scores = labels.flatMap((label) => {
    const count = (is: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(is).length;
    const right = count(({ wanted, given }) => wanted === label && given === label);
    return (
      f1Of(
        right,
        count(({ given }) => given === label),
        count(({ wanted }) => wanted === label),
      ) ?? []
    );
  });
  return {
    accuracy: shareOf(pairs.map(({ wanted, given }) => wanted === given)),
    'macro-f1': mean(scores),
  };
}

/** Over the spans of all texts: one is right with the same label, start and end. */
function entityFigures(samples: readonly Judged<TruthOf<'entities'>>[]): Figures {
  let [right, given, wanted] = [0, 0, 0];
  for (const sample of samples) {
    const key = (label: string, start: number, end: number) => `${start} ${end} ${label}`;
    const [starts, ends] = [numbersOf(sample, 'START'), numbersOf(sample, 'END')];
    const found = new Set(
      textsOf(sample, 'LABEL').flatMap((label, at) =>
        label === '' ? [] : [key(label, starts[at] ?? NaN, ends[at] ?? NaN)],
      ),
    );
    const entities = new Set(sample.truth.entities.map(({ label, start, end }) => key(label, start, end)));
    right += [...entities].filter((entity) => found.has(entity)).length;
    given += found.size;
    wanted += entities.size;
  }
  return { 'entity-f1': f1Of(right, given, wanted) };
}

/** Each answer beside the right one that it is nearest to. */
function answerFigures(samples: readonly Judged<TruthOf<'answers'>>[]): Figures {
  const answers = samples.map((sample) => ({
    given: textOf(sample, 'ANSWER'),
    wanted: sample.truth.answers,
  }));
  return {
    'exact-match': shareOf(
      answers.map(({ given, wanted }) => wanted.some((answer) => isExactMatch(given, answer))),
    ),
    'token-f1': mean(
      answers.map(({ given, wanted }) => largestOf(wanted.map((answer) => tokenF1(given, answer)))),
    ),
  };
}

/** Some tokenizers have a space in front of a word. */
function tokenFigures(samples: readonly Judged<TruthOf<'token'>>[]): Figures {
  const isAmong = (count: number) =>
    samples.map((sample) =>
      textsOf(sample, 'TOKEN')
        .slice(0, count)
        .some((token) => token.trim() === sample.truth.token.trim()),
    );
  return {
    'first-token-accuracy': shareOf(isAmong(1)),
    'five-tokens-accuracy': shareOf(isAmong(5)),
  };
}

const transcriptFigures = (samples: readonly Judged<TruthOf<'transcript'>>[]): Figures => ({
  'word-error-rate': wordErrorRate(
    samples.map((sample) => ({ truth: sample.truth.text, answer: textOf(sample, 'TEXT') })),
  ),
});

const leastOverlap = 0.5;

function foundObjects(sample: Judged<Truth>): JudgedImage['found'] {
  const [scores, edges] = [numbersOf(sample, 'SCORE'), numbersOf(sample, 'BOX')];
  return textsOf(sample, 'LABEL').flatMap((label, at) => {
    const [left = NaN, top = NaN, right = NaN, bottom = NaN] = edges.slice(4 * at, 4 * at + 4);
    return label === '' ? [] : [{ label, score: scores[at] ?? NaN, box: [left, top, right, bottom] }];
  });
}

const boxFigures = (samples: readonly Judged<TruthOf<'boxes'>>[]): Figures => ({
  map50: meanAveragePrecision(
    samples.map((sample) => ({ truth: sample.truth.boxes, found: foundObjects(sample) })),
    leastOverlap,
  ),
});

/** Outputs that each kind of truth is compared with. */
const outputsOf: Readonly<Record<Truth['kind'], readonly string[]>> = {
  label: ['LABEL'],
  entities: ['LABEL', 'START', 'END'],
  answers: ['ANSWER'],
  token: ['TOKEN'],
  transcript: ['TEXT'],
  boxes: ['LABEL', 'SCORE', 'BOX'],
};

const figuresOf: {
  readonly [Kind in Truth['kind']]: (samples: readonly Judged<TruthOf<Kind>>[]) => Figures;
} = {
  label: labelFigures,
  entities: entityFigures,
  answers: answerFigures,
  token: tokenFigures,
  transcript: transcriptFigures,
  boxes: boxFigures,
};

/** Without an output of the task in each answer its figures are not known. */
function judge(kind: Truth['kind'], samples: readonly Judged<Truth>[]): Figures {
  // All of them have this kind.
  const figures = (figuresOf[kind] as (samples: readonly Judged<Truth>[]) => Figures)(samples);
  const isWhole = samples.every(({ answer }) => outputsOf[kind].every((output) => answer.has(output)));
  return isWhole ? figures : Object.fromEntries(Object.keys(figures).map((name) => [name, null]));
}

function ofKind(kind: Truth['kind'], samples: readonly LabeledAnswer[]): readonly TaskFigure[] {
  const own = samples.filter(({ truth }) => truth.kind === kind);
  if (own.length === 0) return [];
  const by = (outputs: (sample: LabeledAnswer) => readonly DecodedTensor[]) =>
    judge(
      kind,
      own.map((sample) => ({
        truth: sample.truth,
        answer: new Map(outputs(sample).map((output) => [output.name, output])),
      })),
    );
  const [framework, triton] = [by((sample) => sample.framework), by((sample) => sample.triton)];
  return (Object.keys(framework) as TaskFigureName[]).map((name) => ({
    name,
    framework: framework[name] ?? null,
    triton: triton[name] ?? null,
  }));
}

/** Figures of the framework and of Triton on the same labeled samples, by the kinds of their truth. */
export const taskFiguresOf = (samples: readonly LabeledAnswer[]): readonly TaskFigure[] =>
  (Object.keys(figuresOf) as Truth['kind'][]).flatMap((kind) => ofKind(kind, samples));
