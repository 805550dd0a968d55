import { fileLimits } from '../../../contract/reader-limits';
import { stabilityWindows } from '../../intervals';
import type { MeasureInput } from '../../load-tool';
import { withCounts } from '../../token-recorder';
import type { LoadJob } from '../seam/load-job';
import type { MeasuredWindow } from './level-result';

type Count = NonNullable<MeasureInput['countTokens']>;

/** Tokens by text; parts of it at a time, each of which is read by a process with a deadline. */
async function countsOf(texts: ReadonlySet<string>, count: Count): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const countPart = async (part: readonly string[]) => {
    const found = await count(part);
    for (const [index, text] of part.entries()) counts.set(text, found[index] ?? 0);
  };
  let part: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (part.length > 0 && characters + text.length > fileLimits.outputTexts.part) {
      await countPart(part);
      part = [];
      characters = 0;
    }
    part.push(text);
    characters += text.length;
  }
  if (part.length > 0) await countPart(part);
  return counts;
}

/** Of these a level's result is made. */
const isOfResult = (index: number, windows: readonly MeasuredWindow[]): boolean =>
  index >= windows.length - stabilityWindows;

/**
 * Of a language model, the windows with tokens counted by the tokenizer where the server reported none, and without the outputs. Where they
 * cannot be counted, the windows keep none, and a line says why.
 */
export async function withCountedOutputs(
  windows: readonly MeasuredWindow[],
  job: LoadJob['generation'],
  { countTokens, onLog }: Pick<MeasureInput, 'countTokens' | 'onLog'>,
): Promise<readonly MeasuredWindow[]> {
  if (job?.keepsTexts !== true) return windows;
  const texts = new Set(
    windows.flatMap(({ recorded }, index) =>
      isOfResult(index, windows) ? (recorded.tokens?.outputs?.texts ?? []) : [],
    ),
  );
  let counts: ReadonlyMap<string, number> = new Map();
  try {
    if (countTokens !== undefined) counts = await countsOf(texts, countTokens);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onLog([`Output tokens are not counted by the tokenizer: ${reason}`]);
  }
  return windows.map((window) => {
    const { tokens } = window.recorded;
    if (tokens?.outputs === undefined) return window;
    return {
      ...window,
      recorded: { ...window.recorded, tokens: withCounts(tokens, counts, job.budgets) },
    };
  });
}
