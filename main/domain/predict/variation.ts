/** How single executions of a batch differ from their mean. */
export interface ServiceVariation {
  readonly batch: number;
  /** Equally likely times relative to the mean. */
  readonly factors: readonly number[];
}

/** Of the batch that is nearest by ratio. 1 without any. */
export function drawFactor(
  variations: readonly ServiceVariation[],
  batch: number,
  random: () => number,
): number {
  let nearest: ServiceVariation | null = null;
  let distance = Infinity;
  for (const one of variations) {
    const away = Math.abs(Math.log(one.batch / batch));
    if (away < distance) [nearest, distance] = [one, away];
  }
  if (nearest === null || nearest.factors.length === 0) return 1;
  return nearest.factors[Math.floor(random() * nearest.factors.length)] ?? 1;
}
