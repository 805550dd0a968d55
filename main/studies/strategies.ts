import type { StudySpec } from '../contract/study/study';
import { createMatrix } from './strategies/matrix';
import type { Strategy } from './strategy';

type Spec = StudySpec['strategy'];

/** One strategy a file, one row here. */
const strategies: { readonly [Kind in Spec['kind']]: (spec: Spec & { kind: Kind }) => Strategy } = {
  matrix: createMatrix,
};

export const strategyOf = (spec: Spec): Strategy => strategies[spec.kind](spec);
