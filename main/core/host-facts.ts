import type { RunSpec } from '../contract/run/run-spec';
import type { HostFacts } from '../engine/docker/run-release';
import type { CoreParts } from './core-parts';

/** What the host of a specification says of itself; null: it names none. Throws host-unknown. */
export type HostFactsOf = (spec: Pick<RunSpec, 'engine'>) => Promise<HostFacts | null>;

/** How long what a host said of itself holds. */
const hostFactsMs = 10_000;

interface Asked {
  readonly facts: Promise<HostFacts>;
  /** When it was answered: one that is not there is waited for that long. */
  answeredMs: number | null;
}

/** Asked once for the questions that a start, each change of the form and each run of a matrix have. */
export function createHostFacts({ hosts }: Pick<CoreParts, 'hosts'>): HostFactsOf {
  const asked = new Map<string, Asked>();
  // Who does not answer is said by its engine.
  const ask = async (name: string): Promise<HostFacts> => {
    const status = await hosts.status(await hosts.get(name));
    if (!status.reachable) return { docker: await (await hosts.link(name)).facts(), gpus: null };
    const { docker, gpus, diskFreeBytes } = status;
    return { gpus, docker: docker.reachable ? { ...docker, rootFreeBytes: diskFreeBytes } : docker };
  };
  return async ({ engine }) => {
    if (engine.kind !== 'docker' || engine.host === undefined) return null;
    const { host } = engine;
    const known = asked.get(host);
    const isFresh = (one: Asked): boolean =>
      one.answeredMs === null || performance.now() - one.answeredMs < hostFactsMs;
    if (known !== undefined && isFresh(known)) return known.facts;
    const facts = ask(host);
    const own: Asked = { facts, answeredMs: null };
    asked.set(host, own);
    try {
      return await facts;
    } finally {
      own.answeredMs = performance.now();
    }
  };
}
