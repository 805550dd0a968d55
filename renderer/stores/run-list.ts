import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunList, RunSummary } from '../../main/contract/run/run-outcome';
import type { Client } from '../client';
import { createResource, type Resource } from './resource';

/** What the core still has to do for the list of runs. */
export interface RowsToCome {
  readonly outdated: ReadonlySet<string>;
  readonly missing: number;
}

const toComeOf = ({ outdated, missing }: RunList): RowsToCome => ({ outdated: new Set(outdated), missing });

/** The rows of the list, and beside them which are outdated and how many are missing. */
export function createRunList(client: Client): {
  readonly runs: StoreApi<Resource<readonly RunSummary[]>>;
  readonly rowsToCome: StoreApi<RowsToCome>;
} {
  const rowsToCome = createStore<RowsToCome>()(() => ({ outdated: new Set(), missing: 0 }));
  const runs = createResource(async () => {
    const list = await client.call('runs.list');
    rowsToCome.setState(toComeOf(list));
    return list.runs;
  });
  return { runs, rowsToCome };
}
