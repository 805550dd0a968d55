import { formatCount } from '../../contract/numbers';
import type { ModelSource } from '../../contract/run/run-spec';
import { longestTreeName, mostTreeNames, treeLibraryTitle, type TreeModel } from '../../contract/tree-model';
import { present } from '../../contract/trees';
import { someOf } from '../../platform/lines';
import { modelTitle } from '../own-preset';
import type { TreesFacts } from './facts';

/** With the operators of trees of ai.onnx.ml 3. */
const opset = 17;
/** Names in a specification are at most so long together. */
const mostNameLetters = 16_384;

interface TreesReading {
  readonly source: ModelSource;
  /** What it is, what it is served as, and what is missing; one sentence each. */
  readonly notes: readonly string[];
}

const isKept = (names: readonly string[]): boolean =>
  names.length > 0 &&
  names.length <= mostTreeNames &&
  names.every((name) => name.length <= longestTreeName) &&
  names.reduce((sum, name) => sum + name.length, 0) <= mostNameLetters;

const kept = (names: readonly string[]): string[] | null => (isKept(names) ? [...names] : null);

function outputsOf({ task, classes, values, hasProbabilities }: TreesFacts): ModelSource['outputs'] {
  if (task !== 'classification') return [{ name: 'variable', datatype: 'FP32', shape: [-1, values] }];
  const label = { name: 'label', datatype: 'INT64', shape: [-1, 1] };
  if (!hasProbabilities) return [label];
  return [label, { name: 'probabilities', datatype: 'FP32', shape: [-1, classes] }];
}

const plural = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

function treesText({ trees, rounds, roundsInUse }: TreesFacts): string {
  if (trees === null) return '';
  if (rounds === null || roundsInUse === null) return `, ${plural(trees, 'tree')}`;
  return `, ${plural(trees, 'tree')} in ${plural(rounds, 'round')}`;
}

function columnNotes({ columns, features }: TreesFacts): readonly string[] {
  if (columns.length === 0) return ['The file names no columns: their order is that of the training.'];
  const shown = columns.slice(0, 8);
  const more = features > shown.length ? `, and ${formatCount(features - shown.length)} more` : '';
  return [`Columns in order: ${someOf(shown)}${more}. The exported file keeps the names.`];
}

function categoryNotes({ categories, columns }: TreesFacts): readonly string[] {
  const numbers = Object.keys(categories);
  if (numbers.length === 0) return [];
  const shown = numbers.map((number) => columns[Number(number)] ?? `column ${number}`);
  const are = numbers.length === 1 ? 'is a category' : 'are categories';
  return [
    `${someOf(shown)} ${are}: a caller sends the number of the category, starting at 0, as in training.`,
  ];
}

function answerNotes({ classes, classNames, task }: TreesFacts): readonly string[] {
  if (task !== 'classification') return [];
  const named = classNames.length === 0 ? '' : ` (${someOf(classNames)})`;
  return [`"label" is the number of the class, from 0 to ${classes - 1}${named}.`];
}

function notesOf(facts: TreesFacts, outputs: ModelSource['outputs']): string[] {
  const { library, format, version, estimator, features, roundsInUse } = facts;
  const written = version === null ? '' : `, written by ${library === 'sklearn' ? 'skops ' : ''}${version}`;
  const served = outputs.map(({ name, shape }) => `${name} [${['?', ...shape.slice(1)].join(', ')}]`);
  return [
    `${treeLibraryTitle[library]} (${format}${written}): ${estimator}${treesText(facts)}.`,
    `Input: input [?, ${features}] as FP32. Outputs: ${served.join(', ')}.`,
    ...columnNotes(facts),
    ...categoryNotes(facts),
    ...answerNotes(facts),
    ...(library === 'sklearn' ? [] : ['Missing values are NaN.']),
    ...(roundsInUse === null
      ? []
      : [
          `Training stopped early: the first ${plural(roundsInUse, 'round')} are served, as predict uses them.`,
        ]),
  ];
}

function modelOf(facts: TreesFacts): TreeModel {
  const { library, task, columns, categories, classNames, roundsInUse } = facts;
  const hasCategories = Object.keys(categories).length > 0;
  return {
    library,
    task,
    ...present({
      columns: kept(columns),
      categories: hasCategories ? { ...categories } : null,
      classes: kept(classNames),
      rounds: roundsInUse,
    }),
  };
}

/** A file of rows as a model. Executes nothing. */
export function treesSource(path: string, facts: TreesFacts): TreesReading {
  const outputs = outputsOf(facts);
  const { features } = facts;
  return {
    notes: notesOf(facts, outputs),
    source: {
      kind: 'trees',
      path,
      title: modelTitle(path),
      inputs: [{ name: 'input', datatype: 'FP32', shape: [-1, features], sample: [1, features] }],
      outputs,
      batched: true,
      opset,
      externalFiles: [],
      trees: modelOf(facts),
    },
  };
}
