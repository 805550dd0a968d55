import { formatRate, missing } from '../../../contract/numbers';
import type { JointStrategy } from '../../../contract/study/joint';
import type { KeyFigure } from '../../measured/key-figures';
import type { JointAnswer } from './joint-answer';

type Said = Pick<
  JointAnswer,
  | 'factor'
  | 'missed'
  | 'presentFactor'
  | 'gain'
  | 'instances'
  | 'presentInstances'
  | 'limiting'
  | 'seconds'
  | 'isConfirmed'
>;

const amount = (isMix: boolean, factor: number | null): string => {
  if (factor === null) return missing;
  return isMix ? formatRate(factor) : factor.toFixed(2);
};

function gainFigure({ gain }: Said): KeyFigure | null {
  if (gain === null) return null;
  const interval = `${gain.low.toFixed(2)} to ${gain.high.toFixed(2)}`;
  return {
    ...{ label: 'Gain', value: gain.ratio.toFixed(2), unit: '× the present' },
    note: gain.low <= 1 ? `${interval}: within the noise` : interval,
  };
}

/** What the page shows largest. Pure. */
export function jointFigures({ isMix, budgetS }: JointStrategy, answer: Said): readonly KeyFigure[] {
  const { factor, missed, presentFactor, instances, presentInstances, limiting, seconds, isConfirmed } =
    answer;
  const unit = isMix ? 'inferences/s' : '× the rates';
  const above =
    missed === null ? 'each load that was sent was held' : `${amount(isMix, missed)} was not held`;
  const how = factor === null || isConfirmed ? '' : '; not at full length';
  const gain = gainFigure(answer);
  return [
    {
      ...{ label: 'Held together', value: amount(isMix, factor), unit },
      note: factor === null ? 'no load within all targets' : `${above}${how}`,
    },
    {
      ...{ label: 'Present configurations', value: amount(isMix, presentFactor), unit },
      note: presentFactor === null ? 'hold no load, or not measured' : 'within all targets',
    },
    ...(gain === null ? [] : [gain]),
    {
      ...{ label: 'Limited by', value: limiting ?? missing, unit: '' },
      note: limiting === null ? 'no model missed its target' : 'misses its target first',
    },
    {
      ...{ label: 'Instances', value: String(instances ?? presentInstances), unit: '' },
      note: `at present ${presentInstances}`,
    },
    {
      ...{ label: 'Load', value: String(Math.round(seconds)), unit: 's' },
      note: `of ${Math.round(budgetS)} s`,
    },
  ];
}
