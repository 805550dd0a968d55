/** Value of a field by its path in the specification at hand; undefined where nothing is set. */
export type ValueAt = (path: string) => unknown;

/** Parts of the load, in the order of the form. */
export const loadGroups = ['offline', 'online', 'requests', 'sequences', 'windows', 'apart'] as const;
export type LoadGroup = (typeof loadGroups)[number];

/** What a field of the specification is, said once: window, command line, report and comparison all derive from it. */
export interface FieldRow {
  /** Dotted path in the run specification; a last "*" stands for names that the model decides. */
  readonly path: string;
  /** Noun phrase, without its unit. */
  readonly label: string;
  /** The label where a running server is measured, which has no scenarios. */
  readonly serverLabel?: string;
  /** Triton's or perf_analyzer's own name. */
  readonly term: string;
  /** One sentence: what the field does. */
  readonly help: string;
  readonly unit?: 'bytes' | 'MiB' | '%' | 'µs' | 'ms' | 's';
  /** A name rather than an amount: its digits stay together. */
  readonly identifier?: boolean;
  /** Of a path in the file system: what must be there. */
  readonly pathKind?: 'file' | 'folder';
  /** Numbers over many decades, written as 1e-4. */
  readonly decimal?: boolean;
  /** Labels of the values to choose from. */
  readonly choices?: Readonly<Record<string, string>>;
  /** What holds where the field is not set or empty. */
  readonly absent?: string;
  /** What 0 means, where it is not an amount. */
  readonly zero?: string;
  /** What holds where neither preset nor person says otherwise; absent where the schema itself says it. */
  readonly default?: unknown;
  /** Option of `run`, and of `perf` for a field of the load: "--batch-sizes <list>". */
  readonly option?: string;
  /** Further names of the option, those of perf_analyzer: "-b", "--concurrency-range". */
  readonly aliases?: readonly string[];
  /** Not an option of `perf`, which has its own way to say it. */
  readonly runOnly?: boolean;
  /** Variables of the published procedures that set the field. */
  readonly variables?: readonly string[];
  /** How their text is read, where the type of the field does not tell. */
  readonly readVariable?: (text: string) => unknown;
  /** A measured level is measured again for another value; a step is done again; nothing is. */
  readonly decides: 'level' | 'step' | 'nothing';
  /** The field has an effect only where this holds. */
  readonly onlyWith?: {
    readonly text: string;
    readonly holds: (valueAt: ValueAt) => boolean;
    /** `perf` refuses the option where it does not hold: the person meant something else. */
    readonly isNeeded?: boolean;
  };
  /** Where it is chosen, `perf` measures each level as a whole and never in turns with others. */
  readonly wholeLevels?: boolean;
  /** Of a field of the load: the part of the form that it belongs to. */
  readonly group?: LoadGroup;
  /** Reports show it also where it has the preset's value. */
  readonly essential?: boolean;
  /** Written by the workbench itself: neither form nor report shows it. */
  readonly internal?: boolean;
}

/** "--batch-sizes" of "--batch-sizes <list>". */
export const longFlag = (option: string): string => option.split(' ')[0] ?? option;

/** Makes the fields of what a run asks a scheduler of jobs for. */
export const jobField =
  (onlyWith: NonNullable<FieldRow['onlyWith']>) =>
  (
    name: string,
    words: Pick<FieldRow, 'label' | 'term' | 'help' | 'absent'> & Partial<FieldRow>,
  ): FieldRow => ({ path: `engine.${name}`, decides: 'nothing', onlyWith, ...words });
