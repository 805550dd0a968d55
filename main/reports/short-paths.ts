/** Folders of people, as Linux and macOS name them. */
const people = /(^|[\s'"=:,(@])(?:\/home\/[^/\s'":,]+|\/Users\/[^/\s'":,]+|\/root)(?=$|[/\s'":,)])/g;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * The same text with home folders as `~`: a report is passed on, and its reader has another home.
 * @param home of this person; where it is none of the usual places
 */
export function shortPaths(text: string, home: string): string {
  const own = /^\/[^/]+/.test(home)
    ? text.replace(new RegExp(`(^|[\\s'"=:,(@])${escaped(home)}(?=$|[/\\s'":,)])`, 'g'), '$1~')
    : text;
  return own.replace(people, '$1~');
}

/** Of texts in lists and objects alike; other values stay. */
export function withShortPaths<Value>(value: Value, home: string): Value {
  const shorten = (one: unknown): unknown => {
    if (typeof one === 'string') return shortPaths(one, home);
    if (Array.isArray(one)) return one.map(shorten);
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([key, inside]) => [key, shorten(inside)]));
  };
  return shorten(value) as Value;
}

/**
 * The end of a long path, at least its last part: `…/whisper-ff48b4dcf494/load.json`. Other text stays.
 * @param longest letters that it may have
 */
export function pathEnd(text: string, longest: number): string {
  if (text.length <= longest || !/^(?:~|\/)[^\s,]*\/[^\s,]*$/.test(text)) return text;
  const parts = text.split('/').filter(Boolean);
  let end = parts.at(-1) ?? '';
  for (const part of parts.slice(0, -1).reverse()) {
    if (end.length + part.length + '…//'.length > longest) break;
    end = `${part}/${end}`;
  }
  return `…/${end}`;
}

export interface FoldedLines {
  /** `RUN=~/.local/…/runs/2025…`: what the names in the lines stand for. */
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

/** Fewer mentions are not worth a name. */
const fewest = 3;

/** Names the folders that most commands mention: that of the run, and the workbench home around it. */
export function foldedLines(lines: readonly string[], runId: string): FoldedLines {
  const found = lines
    .map((line) => new RegExp(`([^\\s'"=:,]*)/runs/${escaped(runId)}`).exec(line)?.[1])
    .find((home) => home !== undefined && home.length > 1);
  if (found === undefined || lines.filter((line) => line.includes(`${found}/`)).length < fewest)
    return { names: [], lines };
  const run = `${found}/runs/${runId}`;
  const inPart = (part: string) => part.replaceAll(run, '$RUN').replaceAll(`${found}/`, '$WORKBENCH/');
  // Inside single quotes a shell replaces nothing.
  const named = (line: string) =>
    line.includes("\\'")
      ? line
      : line
          .split("'")
          .map((part, index) => (index % 2 === 0 ? inPart(part) : part))
          .join("'");
  return { names: [`WORKBENCH=${found}`, `RUN=$WORKBENCH/runs/${runId}`], lines: lines.map(named) };
}
