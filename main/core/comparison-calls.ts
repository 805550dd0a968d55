import type { Handlers } from '../contract/api';
import type { ComparisonRequest } from '../contract/run/saved-comparison';
import { type Comparison, comparisonOf } from '../domain/comparison/comparison';
import { formatTime } from '../reports/to-report';
import { createComparisons } from '../store/comparisons';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';

export function createComparisonCalls(
  parts: Pick<CoreParts, 'store' | 'layout' | 'presets' | 'options' | 'now'>,
): Pick<Handlers, Extract<keyof Handlers, `comparisons.${string}`>> &
  Pick<TrustedCalls, 'comparisons.write'> {
  const { store, layout, presets, options, now } = parts;
  const saved = createComparisons(layout.comparisons);
  const compared = async ({ runIds, p99BudgetMs, title }: ComparisonRequest): Promise<Comparison> => {
    const states = [];
    for (const runId of new Set(runIds)) states.push((await store.load(runId)).state);
    const known = presets();
    const titleOf = (preset: string): string => known.get(preset)?.preset.title ?? preset;
    return comparisonOf(states, { title, budgetMs: p99BudgetMs, titleOf, when: formatTime });
  };
  // Loaded on demand: the charts' library is a large part of the core.
  const writer = () => import('../reports/comparison/write-comparison');
  const generatedAt = () => now().toISOString();
  return {
    'comparisons.write': async ({ request, kind, path }) => {
      const { writeComparison } = await writer();
      const { printPdf } = options;
      const comparison = await compared(request);
      await writeComparison({ comparison, kind, path, generatedAt: generatedAt(), printPdf });
    },
    'comparisons.list': () => saved.list(),
    'comparisons.save': (comparison) => saved.save(comparison),
    'comparisons.remove': ({ name }) => saved.remove(name),
    'comparisons.text': async (request) => {
      const { comparisonText } = await writer();
      return { text: comparisonText(await compared(request), 'markdown', generatedAt()) };
    },
  };
}
