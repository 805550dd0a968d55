import { IconCircleCheck, IconCircleDashed, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { CheckedModel, CheckedTensor } from '../../../../main/contract/repository-check';
import type { StatusWord, Tone } from '../../../components/status-text';
import { counted } from '../../../format/words';

const verdicts: Readonly<Record<CheckedModel['verdict'], StatusWord>> = {
  loads: { icon: IconCircleCheck, tone: 'good', text: 'Loads' },
  'does not load': { icon: IconCircleX, tone: 'bad', text: 'Does not load' },
  'not checked': { icon: IconCircleDashed, tone: 'dim', text: 'Not fully checked' },
};

/** "Does not load, 2 problems". */
export function verdictWord({ verdict, problems }: CheckedModel): StatusWord {
  const word = verdicts[verdict];
  return problems.length === 0
    ? word
    : { ...word, text: `${word.text}, ${counted(problems.length, 'problem')}` };
}

export const tensorWords: Readonly<Record<CheckedTensor['result'], StatusWord>> = {
  fits: { icon: IconCircleCheck, tone: 'good', text: 'Fits' },
  differs: { icon: IconCircleX, tone: 'bad', text: 'Differs' },
  completed: { icon: IconInfoCircle, tone: 'info', text: 'Completed by Triton' },
  'not checked': { icon: IconCircleDashed, tone: 'dim', text: 'Not checked' },
};

/** "ONNX Runtime in Triton’s Python backend", "Not the local Triton; nvcr.io/… has the backend". */
export function executedBy({ backend, servedBy, image }: CheckedModel): string {
  if (servedBy !== null) return servedBy;
  if (backend === '') return 'Not known';
  return `Not the local Triton${image === null ? '' : `; ${image} has the backend`}`;
}

/** Of all models together. */
export function toneOf(models: readonly CheckedModel[]): Tone {
  const bad = models.filter(({ verdict }) => verdict === 'does not load').length;
  if (bad === 0) return 'good';
  return bad === models.length ? 'bad' : 'warn';
}
