import type { JointStrategy } from '../../main/contract/study/joint';
import type { Candidate, Look, Searched } from '../../main/contract/study/search';
import { createRandom } from '../../main/domain/random';
import { candidateIn, partsOf } from '../../main/domain/study/joint/joint-sets';
import type { DueLook } from '../../main/domain/study/search/next-looks';
import { nextJointLooks } from '../../main/studies/strategies/joint';
import { configuration } from './simulated-search';

const model = (
  title: string,
  rate: number,
  candidates: readonly Candidate[],
): JointStrategy['models'][number] => ({
  ...{ title, runId: title, candidates: [...candidates], batchSize: 1, rate },
  ...{ percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
});
const instances = (...counts: readonly number[]) => counts.map((one) => configuration({ instances: one }));

/** Two models on a machine of four processors: the first needs a second instance, the second has one too many. */
export const joint: JointStrategy = {
  ...{ kind: 'joint', objective: 'load', isMix: false, budgetS: 300, lookMs: 2000, fullMs: 4000 },
  models: [model('resnet', 100, instances(1, 2, 4)), model('bert', 50, instances(2, 1, 4))],
};

/** An instance answers in 8 ms, as long as the processors last; what waits for others takes longer. */
const serviceS = 0.008;
const processors = 4;

/** A machine that all models share. @param noise of throughput and latency, 0.05 is 5 % */
export function measureJoint(asked: JointStrategy, due: DueLook, random: () => number, noise = 0): Look {
  const all = [due, ...(due.beside ?? [])].map(({ candidate, load }) => ({
    candidate,
    rate: 'requestRate' in load ? load.requestRate : 0,
    own: candidateIn(asked, candidate).own.instances,
  }));
  const wanted = all.map(({ rate, own }) => Math.min(own, rate * serviceS));
  const busy = wanted.reduce((sum, one) => sum + one, 0) / processors;
  const lookOf = (at: number): Look => {
    const { candidate, rate, own } = all[at] as (typeof all)[number];
    const use = Math.max((rate * serviceS) / own, busy);
    const off = () => 1 + noise * (2 * random() - 1);
    const answered = rate / Math.max(1, use);
    return {
      ...{ candidate, phase: due.phase, load: { requestRate: rate }, seconds: due.ms / 1000, errorCount: 0 },
      ...{ inferencesPerSecond: answered * off(), requestCount: Math.round(answered * due.ms) / 1000 },
      latencyUs: (use >= 1 ? 1e6 : (1e6 * serviceS) / (1 - use) ** 0.5) * off(),
      ...{ meanServerBatch: 1, serverQueueUs: 0 },
    };
  };
  return { ...lookOf(0), beside: all.slice(1).map((_one, at) => lookOf(at + 1)) };
}

/** To the end. @param fault candidates that cannot be served */
export function searchJoint(
  asked: JointStrategy,
  {
    noise = 0,
    seed = 1,
    fault = [],
  }: { readonly noise?: number; readonly seed?: number; readonly fault?: readonly number[] } = {},
): Searched & { readonly dues: readonly DueLook[] } {
  const random = createRandom(seed);
  const dues: DueLook[] = [];
  let searched: Searched = { looks: [], failed: {} };
  for (
    let round = nextJointLooks(asked, searched);
    round.length > 0;
    round = nextJointLooks(asked, searched)
  ) {
    for (const due of round) {
      if (searched.failed[due.candidate] !== undefined) continue;
      dues.push(due);
      const error = { code: 'model-load-failed', message: 'does not load' } as const;
      searched = fault.includes(due.candidate)
        ? { ...searched, failed: { ...searched.failed, [due.candidate]: error } }
        : { ...searched, looks: [...searched.looks, measureJoint(asked, due, random, noise)] };
    }
    if (dues.length > 1000) throw new Error('It has no end');
  }
  return { ...searched, dues };
}

export const picksIn = (look: Look): readonly number[] => partsOf(look).map(({ candidate }) => candidate);
