import { invalidInput, WorkbenchError } from '../../contract/errors';
import type { AnalyzerLine } from '../../contract/study/analyzer-config';
import { isTree, type Tree } from '../../contract/trees';
import { shortText, shortValue } from '../../platform/lines';
import { parsePlacedYaml, type PlacedYaml } from '../../platform/parse-yaml';

/** Keys and places in lists, from the top of the file. */
export type Path = readonly (string | number)[];

const optionOf = (path: Path): string => shortText(path.filter((part) => typeof part === 'string').join('.'));

/** A configuration of Model Analyzer, and what has become of its options so far. */
export class AnalyzerFile {
  private readonly found: Record<'taken' | 'left', AnalyzerLine[]> = { taken: [], left: [] };
  private readonly said = new Set<string>();

  constructor(
    private readonly tree: Tree,
    private readonly lineOf: PlacedYaml['lineOf'],
    private readonly fileName: string,
  ) {}

  /** undefined where it has none. */
  at(path: Path): unknown {
    let value: unknown = this.tree;
    for (const part of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
      value = (value as Readonly<Record<string | number, unknown>>)[part];
    }
    return value;
  }

  has(path: Path): boolean {
    return this.at(path) !== undefined;
  }

  /** The keys of a mapping; none where there is nothing. Throws input-invalid for anything else. */
  keysAt(path: Path): readonly string[] {
    const value = this.at(path);
    if (value === undefined || value === null) return [];
    if (isTree(value)) return Object.keys(value);
    throw this.refused(path, `${shortValue(value)} is not a mapping`);
  }

  /** @param text what it is here */
  take(path: Path, text: string): void {
    this.say('taken', path, text);
  }

  /** @param text why it is not taken */
  leave(path: Path, text: string): void {
    this.say('left', path, text);
  }

  isSaid(path: Path): boolean {
    return this.said.has(JSON.stringify(path));
  }

  /** In the order of the file. */
  lines(): Readonly<Record<'taken' | 'left', readonly AnalyzerLine[]>> {
    const inOrder = (lines: readonly AnalyzerLine[]) => lines.toSorted((one, other) => one.line - other.line);
    return { taken: inOrder(this.found.taken), left: inOrder(this.found.left) };
  }

  refused(path: Path, message: string, remedy?: string): WorkbenchError {
    return invalidInput(`${this.fileName}, line ${this.lineOf(path)}, ${optionOf(path)}`, message, remedy);
  }

  private say(where: 'taken' | 'left', path: Path, text: string): void {
    this.said.add(JSON.stringify(path));
    this.found[where].push({ line: this.lineOf(path), option: optionOf(path), text });
  }
}

const remedy = 'Give the file of "model-analyzer profile --config-file".';

/** Throws input-invalid with the line for text that is not YAML, or not a mapping. */
export function openAnalyzerFile(text: string, fileName: string): AnalyzerFile {
  let placed: PlacedYaml;
  try {
    placed = parsePlacedYaml(text);
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw cause;
    throw invalidInput(fileName, cause instanceof Error ? cause.message : String(cause), remedy);
  }
  if (isTree(placed.value)) return new AnalyzerFile(placed.value, placed.lineOf, fileName);
  throw invalidInput(fileName, 'The file is not a configuration of Model Analyzer', remedy);
}
