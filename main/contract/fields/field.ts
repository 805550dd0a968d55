export type ValueAt = (path: string) => unknown;

/** Parts of the load, in the order of the form. */
export const loadGroups = [
  'offline',
  'online',
  'requests',
  'generation',
  'sequences',
  'windows',
  'apart',
] as const;
export type LoadGroup = (typeof loadGroups)[number];

/** One field of the run specification; window, command line, report and comparison derive from it. */
export interface FieldRow {
  /** Dotted path in the run specification; a last "*" stands for names that the model decides. */
  readonly path: string;
  /** Noun phrase, without its unit. */
  readonly label: string;
  /** Label when a running server is measured, which has no scenarios. */
  readonly serverLabel?: string;
  /** Triton's or perf_analyzer's own name. */
  readonly term: string;
  readonly help: string;
  readonly unit?: 'bytes' | 'MiB' | '%' | 'µs' | 'ms' | 's';
  /** A name rather than an amount: shown without thousands separators. */
  readonly identifier?: boolean;
  readonly pathKind?: 'file' | 'folder';
  /** Spans many decades; written as 1e-4. */
  readonly decimal?: boolean;
  readonly choices?: Readonly<Record<string, string>>;
  /** Text for an unset or empty value. */
  readonly absent?: string;
  /** Text for 0, where it is not an amount. */
  readonly zero?: string;
  /** Default where neither preset nor person sets it; absent: the schema's own. */
  readonly default?: unknown;
  /** Option of `run`, and of `perf` for a field of the load: "--batch-sizes <list>". */
  readonly option?: string;
  /** Further names of the option, those of perf_analyzer: "-b", "--concurrency-range". */
  readonly aliases?: readonly string[];
  /** Not an option of `perf`, which sets it in another way. */
  readonly runOnly?: boolean;
  /** Only of a running server that is measured: no option of `run`, and not in its form. */
  readonly serverOnly?: boolean;
  readonly variables?: readonly string[];
  /** Parses a variable's text where the type of the field is not enough. */
  readonly readVariable?: (text: string) => unknown;
  /** Values that nobody chooses: the model decides them. */
  readonly unlisted?: readonly string[];
  /** A new value repeats the measured levels, the step, or nothing. */
  readonly decides: 'level' | 'step' | 'nothing';
  readonly onlyWith?: {
    readonly text: string;
    readonly holds: (valueAt: ValueAt) => boolean;
    /** Without it `perf` refuses the option, as the person meant something else. */
    readonly isNeeded?: boolean;
  };
  /** `perf` then measures each level as a whole, never in turns. */
  readonly wholeLevels?: boolean;
  readonly group?: LoadGroup;
  /** Shown in reports even with the preset's value. */
  readonly essential?: boolean;
  /** Written by the workbench; neither in form nor in report. */
  readonly internal?: boolean;
}

/** "--batch-sizes" of "--batch-sizes <list>". */
export const longFlag = (option: string): string => option.split(' ')[0] ?? option;

export const jobField =
  (onlyWith: NonNullable<FieldRow['onlyWith']>) =>
  (
    name: string,
    words: Pick<FieldRow, 'label' | 'term' | 'help' | 'absent'> & Partial<FieldRow>,
  ): FieldRow => ({ path: `engine.${name}`, decides: 'nothing', onlyWith, ...words });
