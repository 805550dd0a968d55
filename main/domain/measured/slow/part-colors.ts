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

/** Beside colors of models, the request's own phases are gray: a color is a model there. */
const ownGray = '#8a949e';
const ownShade: Readonly<Record<TracePhase, string>> = {
  ...{ receive: 'cc', queue: '44', input: '77', infer: 'ee', output: 'aa', send: '66', other: 'ff' },
};

/** Shades of one model: what it waits for is lighter than what it computes. */
const shade: Readonly<Record<TracePhase, string>> = {
  ...{ receive: '66', queue: '66', input: 'aa', infer: 'ff', output: 'aa', send: '66', other: '44' },
};

/** A color per part: by phase, or by model where there are several. */
export function partColors(parts: readonly Pick<TracedPart, 'model' | 'phase'>[]): readonly string[] {
  const models = [...new Set(parts.flatMap(({ model }) => model ?? []))];
  return parts.map(({ model, phase }) => {
    if (model === null) return models.length === 0 ? phaseColor[phase] : `${ownGray}${ownShade[phase]}`;
    const color = modelColors[models.indexOf(model) % modelColors.length] ?? okabeIto.blue;
    return `${color}${shade[phase]}`;
  });
}
