import { formatBytes, formatCount } from '../../contract/numbers';
import type { ModelCard, ModelRecord } from '../../contract/own/model-record';
import type { FileEntry } from '../../contract/run/artefacts';

interface NamedText {
  readonly name: string;
  readonly value: string;
}

const unstated = 'missing in the model card';

/** A part of the card, or why it is missing. */
function stated(card: ModelCard | null, of: (card: ModelCard) => string | null): string {
  if (card === null) return 'missing: the folder has no model card (README.md)';
  const value = of(card);
  if (value !== null && value !== '') return value;
  return card.problem === undefined ? unstated : `missing: the model card cannot be read: ${card.problem}`;
}

const hashed = ({ path, sha256 }: FileEntry): string => `${path}, SHA-256 ${sha256}`;

function weightsText({ weights, weightsSha256 }: ModelRecord): string {
  const bytes = formatBytes(weights.reduce((sum, file) => sum + file.bytes, 0));
  const [only, ...others] = weights;
  if (only !== undefined && others.length === 0) return `${hashed(only)}, ${bytes}`;
  return `${formatCount(weights.length)} files, ${bytes}, SHA-256 of their checksums ${weightsSha256}`;
}

/** The vocabulary is in the first; the others are settings. */
function tokenizerText({ tokenizer: [first, ...others] }: ModelRecord): string {
  if (first === undefined) return 'missing: the folder has no tokenizer';
  const more = others.length === 0 ? '' : `, and ${others.map(({ path }) => path).join(', ')}`;
  return `${hashed(first)}${more}`;
}

/** Origin, license and hashes of a Hugging Face folder. What is missing is shown as missing. */
export function modelRecordRows(record: ModelRecord | null): readonly NamedText[] {
  if (record === null) return [];
  const { hub, card } = record;
  const rows: readonly (readonly [string, string])[] = [
    ['Repository', hub?.id ?? 'missing: the folder is not in the cache of the hub'],
    ['Revision', hub?.revision ?? 'missing: the folder is not in the cache of the hub'],
    ['License', stated(card, ({ license }) => license)],
    ['Tags', stated(card, ({ tags }) => tags.join(', '))],
    ['Task by the card', stated(card, ({ pipelineTag }) => pipelineTag)],
    ['Base model', stated(card, ({ baseModels }) => baseModels.join(', '))],
    ['Weights', weightsText(record)],
    ['Tokenizer', tokenizerText(record)],
  ];
  return rows.map(([name, value]) => ({ name, value }));
}
