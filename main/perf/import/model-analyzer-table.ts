import { invalidInput, type WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { shortText } from '../../platform/lines';
import { quotedFields } from '../replay/trace-records';

const { columns: mostColumns } = fileLimits.captureCsv;
const number = /^\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The files that Model Analyzer writes: of the levels, of the GPUs at each level, of the GPUs without a model. */
export type TableKind = 'inference' | 'gpu' | 'server';

const throughput = 'Throughput (infer/sec)';
const uuid = 'GPU UUID';

/** null for the header of another file. */
export function tableKind(names: readonly string[]): TableKind | null {
  const isOurs = names.includes('Model') || names.includes('Model Config Path');
  if (!isOurs) return null;
  if (names.includes(throughput)) return 'inference';
  if (names.includes('Satisfies Constraints') || names.includes('Batch')) {
    return names.includes(uuid) ? 'gpu' : 'inference';
  }
  return names.includes(uuid) ? 'server' : null;
}

/** A line of such a file. */
export class TableRow {
  constructor(
    private readonly names: readonly string[],
    private readonly cells: readonly string[],
    readonly where: string,
  ) {}

  fail(message: string, name?: string): WorkbenchError {
    const at = name === undefined ? this.where : `${this.where}, column "${shortText(name)}"`;
    return invalidInput(at, message, 'Use a file that Model Analyzer has written.');
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** "None" and nothing are ''. */
  text(name: string): string {
    const text = this.cells[this.names.indexOf(name)] ?? '';
    return text === 'None' ? '' : text;
  }

  /** null where there is none. Throws input-invalid for text. */
  number(name: string): number | null {
    const text = this.text(name);
    if (text === '') return null;
    if (!number.test(text)) throw this.fail(`"${shortText(text)}" is not a number`, name);
    return Number(text);
  }

  /** A whole number from 1. Throws input-invalid. */
  whole(name: string): number | null {
    const value = this.number(name);
    if (value === null || (Number.isSafeInteger(value) && value >= 1)) return value;
    throw this.fail(`${value} is not a whole number of at least 1`, name);
  }
}

export interface Table {
  readonly fileName: string;
  readonly names: readonly string[];
  readonly rows: readonly TableRow[];
}

export const headerOf = (text: string): readonly string[] =>
  quotedFields((text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '').slice(0, 1 << 16), ',');

/** Throws input-invalid with the line. */
export function readTable(text: string, fileName: string): Table {
  const names = headerOf(text);
  const refused = (message: string) =>
    invalidInput(`${fileName}, line 1`, message, 'Use a file that Model Analyzer has written.');
  if (names.length > mostColumns) throw refused(`There are more than ${mostColumns} columns`);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw refused(`The column "${shortText(repeated)}" appears twice`);
  const rows = text.split(/\r?\n/).flatMap((line, at) => {
    if (at === 0 || line.trim() === '') return [];
    const cells = quotedFields(line, ',');
    const row = new TableRow(names, cells, `${fileName}, line ${at + 1}`);
    if (cells.length === names.length) return [row];
    throw row.fail(`There are ${cells.length} values for ${names.length} columns`);
  });
  return { fileName, names, rows };
}
