import { z } from 'zod';
import { deploymentIdPattern } from '../deployment/deployment';
import { runIdPattern } from '../opened';

const runId = z.string().regex(runIdPattern);

/** What a study serves itself: the model of a verified run, or of a deployment with the files and inputs of its run. */
export const ownSubjects = () =>
  [
    z.strictObject({ kind: z.literal('run'), runId }),
    z.strictObject({
      kind: z.literal('deployment'),
      id: z.string().regex(deploymentIdPattern),
      model: z.string(),
      version: z.int().min(1),
      runId,
    }),
  ] as const;
