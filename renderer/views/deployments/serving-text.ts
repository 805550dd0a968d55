import type { DeploymentInfo, DeploymentState } from '../../../main/contract/deployment/deployment';
import type { Tone } from '../../components/status-text';

type Listed = Pick<DeploymentInfo, 'name' | 'state'>;

/** What needs attention first. */
const others = [
  'failed',
  'degraded',
  'unknown',
  'starting',
  'stopped',
] as const satisfies readonly DeploymentState[];

const stateOf: Readonly<Record<DeploymentState, (name: string) => string>> = {
  ready: (name) => `${name} is ready`,
  failed: (name) => `${name} failed`,
  degraded: (name) => `${name} is degraded`,
  unknown: (name) => `the state of ${name} is unknown`,
  starting: (name) => `${name} is starting`,
  stopped: (name) => `${name} is stopped`,
};

const allText = (count: number): string => (count === 2 ? 'Both deployments' : `All ${count} deployments`);

/** "1 failed, 2 stopped"; one that is the only one of its kind by its name. */
function othersText(rest: readonly Listed[]): string {
  const [only] = rest;
  if (only !== undefined && rest.length === 1) return stateOf[only.state](only.name);
  const count = (state: DeploymentState): number => rest.filter((one) => one.state === state).length;
  return others.flatMap((state) => (count(state) === 0 ? [] : [`${count(state)} ${state}`])).join(', ');
}

function textOf(list: readonly Listed[], ready: number): string {
  const [only] = list;
  if (only !== undefined && list.length === 1) {
    const text = stateOf[only.state](only.name);
    return only.state === 'unknown' ? `T${text.slice(1)}` : text;
  }
  if (ready === list.length) return `${allText(ready)} are ready`;
  if (list.every(({ state }) => state === 'stopped')) return `${allText(list.length)} are stopped`;
  const rest = list.filter(({ state }) => state !== 'ready');
  if (ready === 0) return `No deployment is ready: ${othersText(rest)}`;
  return `${ready} of ${list.length} deployments ${ready === 1 ? 'is' : 'are'} ready; ${othersText(rest)}`;
}

/** The answer of the list: how many are ready, and how the others are. Stopped ones are meant to be. */
export function servingText(list: readonly Listed[]): { readonly text: string; readonly tone: Tone } {
  const count = (state: DeploymentState): number => list.filter((one) => one.state === state).length;
  const ready = count('ready');
  const meant = list.length - count('stopped');
  const text = textOf(list, ready);
  if (meant === 0) return { text, tone: 'dim' };
  if (ready === 0) return { text, tone: meant === count('starting') ? 'info' : 'bad' };
  return { text, tone: ready === meant ? 'good' : 'warn' };
}
