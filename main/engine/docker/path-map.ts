/** A folder or file of this machine and where a container sees it. */
export interface PathPair {
  readonly host: string;
  readonly container: string;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The names as whole paths: not "/workbench/runner" or "/workbench/run.old", but "/workbench/run" before a full stop. */
const wholePaths = (names: readonly string[]) =>
  new RegExp(`(?<![\\w-])(?:${names.map(escapeRegExp).join('|')})(?![\\w-]|\\.\\w)`, 'g');

const holds = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

/** Translates paths between this machine and a container; pure. Longer paths win over the folders that they are in. */
export class PathMap {
  private readonly pairs: readonly PathPair[];
  private readonly toHostOf: ReadonlyMap<string, string>;
  private readonly named: RegExp;

  constructor(pairs: readonly PathPair[]) {
    this.pairs = [...pairs].sort((a, b) => b.host.length - a.host.length);
    this.toHostOf = new Map(pairs.map((pair) => [pair.container, pair.host]));
    this.named = wholePaths([...this.toHostOf.keys()]);
  }

  /** A text that is a path below a mapped one; any other text as it is. */
  toContainer(text: string): string {
    const pair = this.pairs.find((candidate) => holds(candidate.host, text));
    return pair === undefined ? text : `${pair.container}${text.slice(pair.host.length)}`;
  }

  /** Every mapped path that the text mentions, as this machine knows it. */
  toHost(text: string): string {
    // In one pass: what a path of this machine looks like is not looked into.
    return text.replace(this.named, (name) => this.toHostOf.get(name) ?? name);
  }
}
