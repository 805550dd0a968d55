import type { WireError } from './errors';

/** What the workbench installs into its home, in the order of need. */
export const toolIds = ['python', 'triton', 'perf-analyzer'] as const;
export type ToolId = (typeof toolIds)[number];

export const toolTitle: Readonly<Record<ToolId, string>> = {
  python: 'the Python environment',
  triton: 'Triton',
  'perf-analyzer': 'perf_analyzer',
};

/** "Triton", "Triton and perf_analyzer", "the Python environment, Triton and perf_analyzer". */
export function toolList(tools: readonly ToolId[]): string {
  const titles = tools.map((tool) => toolTitle[tool]);
  const last = titles.pop() ?? '';
  return titles.length === 0 ? last : `${titles.join(', ')} and ${last}`;
}

export interface ToolFacts {
  readonly missing: readonly ToolId[];
  /** `tools.install` can install them: the workbench runs from a clone that has its set-up scripts. */
  readonly installable: boolean;
}

/** The installation that is running or ended last. */
export interface InstallWork {
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** The last lines of the set-up, oldest first. */
  readonly lines: readonly string[];
  readonly error: WireError | null;
}
