import { fileLimits } from '../contract/reader-limits';
import { limited } from './message-walk';

/** Operators whose first input's values, and no others, come out. */
const passing: ReadonlySet<string> = new Set([
  ...['Cast', 'Expand', 'Flatten', 'Gather', 'Identity', 'Reshape'],
  ...['Slice', 'Split', 'Squeeze', 'Transpose', 'Unsqueeze'],
]);
/** Of a chain of them. */
const mostHops = 64;
const most = fileLimits.protobufModel;

/** Which inputs of a graph choose rows of a weight, as token ids and categories do. Nodes and weights in any order. */
export class TableIndices {
  private readonly rows = new Map<string, number>();
  private readonly origins = new Map<string, string>();
  private readonly lookups: { readonly table: string; readonly indices: string }[] = [];

  /** Whether `node` wants the names of this operator. */
  static concerns(operator: string, domain: string): boolean {
    return domain === '' && passing.has(operator);
  }

  /** @param isFirstAxis of a Gather: it chooses along axis 0 */
  node(
    operator: string,
    [first = '', second = '']: readonly string[],
    outputs: readonly string[],
    isFirstAxis: boolean,
  ): void {
    for (const output of outputs) this.origins.set(output, first);
    limited(this.origins.size, most.weights, 'values of operators');
    if (operator !== 'Gather' || !isFirstAxis) return;
    this.lookups.push({ table: first, indices: second });
    limited(this.lookups.length, most.weights, 'operators Gather');
  }

  /** @param rows size of its first axis; null without axes */
  weight(name: string, rows: number | null): void {
    if (rows !== null && rows > 0) this.rows.set(name, rows);
  }

  /** Rows of the smallest weight, by each of these inputs that chooses from one. */
  of(inputs: ReadonlySet<string>): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const { table, indices } of this.lookups) {
      const rows = this.rows.get(table);
      const input = rows === undefined ? null : this.inputOf(indices, inputs);
      if (rows === undefined || input === null) continue;
      found.set(input, Math.min(rows, found.get(input) ?? rows));
    }
    return found;
  }

  private inputOf(name: string, inputs: ReadonlySet<string>): string | null {
    let at = name;
    for (let hop = 0; hop < mostHops; hop += 1) {
      if (inputs.has(at)) return at;
      const origin = this.origins.get(at);
      if (origin === undefined) return null;
      at = origin;
    }
    return null;
  }
}
