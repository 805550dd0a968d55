import type { RunState } from '../contract/run/run-state';
import { modelRecordRows } from '../domain/run/model-record-text';
import { table } from '../reports/markdown.exporter';

/** Origin, license and hashes of a Hugging Face folder; nothing for other models. */
export function recordSection({ modelRecord }: Pick<RunState, 'modelRecord'>): readonly string[] {
  const rows = modelRecordRows(modelRecord);
  if (rows.length === 0) return [];
  return [
    '## Model',
    '',
    table(
      ['', ''],
      rows.map(({ name, value }) => [name, value]),
    ),
    '',
    'The license is taken from the model card.',
    '',
  ];
}
