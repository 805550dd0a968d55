import type { TracedPart, TracePhase } from '../../../contract/measured/slow-requests';
import { okabeIto } from '../chart-lines';

const phaseColor: Readonly<Record<TracePhase, string>> = {
  receive: okabeIto.purple,
  queue: okabeIto.orange,
  input: okabeIto.yellow,
  infer: okabeIto.blue,
  output: okabeIto.green,
  send: okabeIto.vermillion,
  other: '#8a949e',
};

/** Of models that a request passes through, in order, where phases alone would look alike. */
const modelColors = [
  okabeIto.blue,
  okabeIto.vermillion,
  okabeIto.green,
  okabeIto.purple,
  okabeIto.orange,
  okabeIto.sky,
] as const;

/** Shades of one model: what it waits for is lighter than what it computes. */
const shade: Readonly<Record<TracePhase, string>> = {
  ...{ receive: '66', queue: '66', input: 'aa', infer: 'ff', output: 'aa', send: '66', other: '44' },
};

/** A color per part: by phase, or by model where there are several. */
export function partColors(parts: readonly Pick<TracedPart, 'model' | 'phase'>[]): readonly string[] {
  const models = [...new Set(parts.flatMap(({ model }) => model ?? []))];
  return parts.map(({ model, phase }) => {
    if (model === null) return phaseColor[phase];
    const color = modelColors[models.indexOf(model) % modelColors.length] ?? okabeIto.blue;
    return `${color}${shade[phase]}`;
  });
}
