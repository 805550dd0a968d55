import { stagesText } from '../../contract/load/stages';
import type { LoadPoint } from '../../contract/measured/results';
import { goodText, overloadText, refusedCount } from '../../contract/measured/timeline';
import { formatShortShare } from '../../contract/numbers';

type Shaped = Pick<LoadPoint, 'requestRate' | 'stages' | 'overload' | 'timeline'>;

/** What the stages of a level came to, a sentence each; empty where they have no overload and no budget. */
export function shapeAnswer({ requestRate, overload, timeline }: Omit<Shaped, 'stages'>): readonly string[] {
  const good = timeline === undefined ? null : goodText(timeline);
  return [
    ...(overload === undefined ? [] : [overloadText(overload, requestRate)]),
    ...(good === null ? [] : [`${good}.`]),
  ];
}

/** "Sent: …."; null of a level without stages. */
export const sentStagesText = ({ stages }: Pick<Shaped, 'stages'>): string | null =>
  stages === undefined ? null : `Sent: ${stagesText(stages)}.`;

/** {@link shapeAnswer} and what was sent; empty of levels without stages. */
export function shapeLines(point: Shaped): readonly string[] {
  const sent = sentStagesText(point);
  return sent === null ? [] : [...shapeAnswer(point), sent];
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
