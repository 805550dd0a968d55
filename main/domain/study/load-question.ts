import type { TakenMemory } from '../../contract/measured/model-memory';
import { formatBytes } from '../../contract/numbers';
import type { LoadQuestion } from '../../contract/study/study';

/** A running Triton, before anything is loaded there. */
export interface BeforeLoad {
  /** `host:port` of its HTTP service. */
  readonly address: string;
  readonly tritonVersion: string;
  /** Ready there, by name. */
  readonly models: readonly string[];
  /** What its machine and its fullest GPU have left, bytes. */
  readonly room: TakenMemory;
  /** In the name of all that is loaded there. */
  readonly mark: string;
}

/** How the names of all begin that a search or a comparison loads there. Pure. */
export const markedBeginning = (mark: string): string => `workbench-search-${mark}`;

/** More names than that are a list of its own. */
const mostNamed = 6;

function modelsText(models: readonly string[]): string {
  if (models.length === 0) return 'No model is ready there.';
  const named = models.slice(0, mostNamed).join(', ');
  const more = models.length - Math.min(mostNamed, models.length);
  const count = models.length === 1 ? '1 model is' : `${models.length} models are`;
  return `${count} ready there: ${named}${more === 0 ? '' : ` and ${more} more`}.`;
}

function roomText({ hostBytes, gpuBytes }: TakenMemory): string {
  const gpu = gpuBytes === null ? '' : ` and ${formatBytes(gpuBytes)} on its fullest GPU`;
  return `Free memory: ${formatBytes(hostBytes)}${gpu}. A configuration is loaded only if twice the memory of the largest one so far is free.`;
}

/** What is asked before so many configurations are loaded beside the models of others, and what has to be known. Pure. */
export function loadQuestion(
  { address, tritonVersion, models, room, mark }: BeforeLoad,
  configurations: number,
): LoadQuestion {
  return {
    question: `Load ${configurations} configurations on Triton ${tritonVersion} at ${address}, and send load up to their limits?`,
    facts: [
      modelsText(models),
      roomText(room),
      `Only models that the search loaded are unloaded, at the end, at a pause or on cancellation; their names begin with ${markedBeginning(mark)}. The server is not restarted.`,
    ],
  };
}
