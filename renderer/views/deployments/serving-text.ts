import type { DeploymentInfo, DeploymentState } from '../../../main/contract/deployment/deployment';
import type { Tone } from '../../components/status-text';

/** What needs attention first. */
const others = [
  'failed',
  'degraded',
  'unknown',
  'starting',
  'stopped',
] as const satisfies readonly DeploymentState[];

/** The answer of the list: how many serve, and how the others are. Stopped ones are meant to be. */
export function servingText(list: readonly Pick<DeploymentInfo, 'state'>[]): {
  readonly text: string;
  readonly tone: Tone;
} {
  const count = (state: DeploymentState): number => list.filter((one) => one.state === state).length;
  const ready = count('ready');
  const meant = list.length - count('stopped');
  const rest = others.flatMap((state) => (count(state) === 0 ? [] : [`, ${count(state)} ${state}`])).join('');
  if (meant === 0) return { text: `No deployment serves${rest}`, tone: 'dim' };
  if (ready === 0) {
    return { text: `No deployment is ready${rest}`, tone: meant === count('starting') ? 'info' : 'bad' };
  }
  const of =
    ready < list.length
      ? `${ready} of ${list.length} deployments serve`
      : ready === 1
        ? '1 deployment serves'
        : `${ready} deployments serve`;
  return { text: `${of}${rest}`, tone: ready === meant ? 'good' : 'warn' };
}
