/** How single executions of a batch differ from their mean. */
export interface ServiceVariation {
  readonly batch: number;
  /** While so many instances were busy, itself included; absent: 1. They also vary as the others take turns. */
  readonly busyInstances?: number | undefined;
  /** Equally likely times relative to the mean. */
  readonly factors: readonly number[];
}

/** Of the nearest number of busy instances, and there of the batch that is nearest by ratio. 1 without any. */
export function drawFactor(
  variations: readonly ServiceVariation[],
  { batch, busy }: { readonly batch: number; readonly busy: number },
  random: () => number,
): number {
  let nearest: ServiceVariation | null = null;
  let [least, leastAway] = [Infinity, Infinity];
  for (const one of variations) {
    const others = Math.abs((one.busyInstances ?? 1) - busy);
    const away = Math.abs(Math.log(one.batch / batch));
    if (others < least || (others === least && away < leastAway)) {
      [nearest, least, leastAway] = [one, others, away];
    }
  }
  if (nearest === null || nearest.factors.length === 0) return 1;
  return nearest.factors[Math.floor(random() * nearest.factors.length)] ?? 1;
}
