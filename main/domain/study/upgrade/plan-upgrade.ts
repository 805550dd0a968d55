import { formatTyped } from '../../../contract/numbers';
import type { DeployedRun } from '../../../contract/run/run-state';
import type { UpgradePlan } from '../../../contract/study/study';
import type { UpgradeRequest, UpgradeStrategy } from '../../../contract/study/upgrade';
import { parseCriterion } from '../../measured/comparison-gate';
import { duelLevelText } from '../duel/duel-answer';
import { askedLevel, requireBudget, requireFits, usualLookMs } from '../duel/plan-duel';

const usualBudgetS = 180;
/** What nobody wants to find out after a move; noise is told from it within the usual budget. */
const usualCriteria = { throughput: 'throughput<0.9x', p99: 'p99>1.1x' } as const;
/** Of each side: a median needs three. */
const usualLoads = 3;

const ascending = (sizes: readonly number[]): number[] => [...new Set(sizes)].sort((a, b) => a - b);

/** "1, 4 and 8" */
const listed = (sizes: readonly number[]): string =>
  [sizes.slice(0, -1).map(formatTyped).join(', '), formatTyped(sizes.at(-1))]
    .filter((part) => part !== '')
    .join(' and ');

/** The upgrade that a request asks for. Throws input-invalid. @param run whose files and inputs are taken. Pure. */
export function planUpgrade(
  run: DeployedRun,
  request: Omit<UpgradeRequest, 'of' | 'to'> & { readonly name: string },
  of: Pick<UpgradeStrategy, 'subject' | 'title' | 'sides' | 'findings'>,
): UpgradePlan {
  const { name, criteria: given, budgetS = usualBudgetS, loads = usualLoads } = request;
  const { level, note, requestsPerSecond } = askedLevel({ ...request, criteria: given ?? [] }, [run, run]);
  requireFits(run, { level });
  const lookMs = usualLookMs('p99', requestsPerSecond);
  requireBudget(budgetS, lookMs);
  const { batching, maxBatchSize } = run.source.spec.configure;
  const largest = batching === 'disabled' ? 1 : Math.max(1, maxBatchSize);
  const isAtRate = 'requestRate' in level;
  const usual = isAtRate ? [usualCriteria.p99] : [usualCriteria.throughput, usualCriteria.p99];
  const upgrade: UpgradeStrategy = {
    ...{ kind: 'upgrade', ...of, level, lookMs, budgetS, loads },
    batchSizes: ascending([1, level.batchSize, largest]),
    criteria: (given ?? usual).map((text) => parseCriterion(text).text),
    errorPercentage: run.source.spec.performance.errorPercentage,
  };
  return {
    upgrade,
    spec: { name, strategy: { ...upgrade, trials: [] }, hosts: null },
    // What is to be done beforehand, and what changes, before how it is compared.
    notes: [
      ...of.findings
        .toSorted((one, other) => Number(other.blocks) - Number(one.blocks))
        .map(({ text }) => `${text}.`),
      note ?? `Load: ${duelLevelText(level)}.`,
      `Outputs are compared at batch size${upgrade.batchSizes.length === 1 ? '' : 's'} ${listed(upgrade.batchSizes)}, and with the reference of the run.`,
    ],
  };
}
