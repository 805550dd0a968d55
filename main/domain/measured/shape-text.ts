import { stagesText } from '../../contract/load/stages';
import type { LoadPoint } from '../../contract/measured/results';
import { goodText, overloadText, refusedCount } from '../../contract/measured/timeline';
import { formatShortShare } from '../../contract/numbers';

type Shaped = Pick<LoadPoint, 'requestRate' | 'stages' | 'overload' | 'timeline'>;

/** What the stages of a level came to, a sentence each; empty of other levels. */
export function shapeLines({ requestRate, stages, overload, timeline }: Shaped): readonly string[] {
  if (stages === undefined) return [];
  const good = timeline === undefined ? null : goodText(timeline);
  return [
    ...(overload === undefined ? [] : [overloadText(overload, requestRate)]),
    ...(good === null ? [] : [`${good}.`]),
    `Sent: ${stagesText(stages)}.`,
  ];
}

/** "41 % refused"; null where none was. */
export function refusedShareText(
  point: Pick<LoadPoint, 'requestCount' | 'errorCount' | 'refused'>,
): string | null {
  const refused = refusedCount(point);
  if (refused === 0) return null;
  const all = (point.requestCount ?? 0) + point.errorCount + refused;
  return `${formatShortShare(refused / all)} refused`;
}
