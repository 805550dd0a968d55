import { z } from 'zod';
import { trialSchema } from '../../contract/study/study';
import { strategyBy } from '../strategy';

const schema = z.strictObject({ kind: z.literal('matrix'), trials: z.array(trialSchema).min(1) });

/** Every trial of the list, once. */
export const matrix = strategyBy(schema, ({ trials }) => ({
  propose: (known) => trials.slice(known.length),
}));
