import type { WorkbenchError } from '../../contract/errors';
import { configComplaint } from './config-complaint';

/** Mistakes that have one correction, wherever they are in a line. */
const characters: readonly (readonly [RegExp, string])[] = [
  [/[“”„‟«»″]/g, '"'],
  [/[‘’‚‛′`]/g, "'"],
  [/[\u00a0\u2000-\u200a\u202f\u3000]/g, ' '],
  [/[\u200b-\u200f\u2060]/g, ''],
  [/[–—−]/g, '-'],
];

/** The line as the message about it proposes; null where it proposes none. */
function corrected(line: string, { message, remedy = '' }: WorkbenchError): string | null {
  const plain = characters.reduce((text, [set, put]) => text.replace(set, put), line);
  if (plain !== line && /Typographic|not a plain one|invisible|dash/.test(message)) return plain;
  if (message.startsWith('A comma without a value')) return line.replace(/,(\s*[\],])/, '$1');
  const wrong = /^"([^"]+)" is not a (?:value|field) of /.exec(message)?.[1];
  const right = /^Write ([\w.]+?)\.$/.exec(remedy)?.[1];
  if (wrong === undefined || right === undefined) return null;
  return line.replace(new RegExp(`(^|[^\\w.])${wrong.replace(/[^\w]/g, '\\$&')}(?![\\w.])`), `$1${right}`);
}

const most = 50;

interface Repair {
  /** null where a mistake is left that has no single correction. */
  readonly text: string | null;
  readonly complaints: readonly WorkbenchError[];
}

/** A text that cannot be read, with each mistake corrected as its message says; every other byte is kept. */
export function repairConfigPbtxt(given: string): Repair {
  let text = given;
  const complaints: WorkbenchError[] = [];
  while (complaints.length < most) {
    const complaint = configComplaint(text.replace(/^\ufeff/, ''));
    if (complaint === null) return { text, complaints };
    complaints.push(complaint);
    const number = Number(/line (\d+)$/.exec(complaint.where ?? '')?.[1] ?? 0);
    const lines = text.split('\n');
    const line = lines[number - 1] ?? '';
    const better = corrected(line, complaint);
    if (better === null || better === line) return { text: null, complaints };
    lines[number - 1] = better;
    text = lines.join('\n');
  }
  return { text: null, complaints };
}
