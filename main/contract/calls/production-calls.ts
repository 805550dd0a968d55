import { z } from 'zod';
import type { DeploymentInfo } from '../deployment/deployment';
import { studyNamePattern } from '../opened';
import { soakRequestSchema } from '../study/soak';
import type { SoakPlan, UpgradePlan } from '../study/study';
import { upgradeRequestSchema } from '../study/upgrade';
import { call } from './call';

/** Before it goes live. */
export const productionApi = {
  /** The soak that a request asks for; starts nothing. Throws as a run, a deployment or a server that cannot be reached. */
  'soaks.plan': call<SoakPlan>().with(soakRequestSchema),
  /**
   * The upgrade that a request asks for; asks the programs of the target what they are. Throws as a run or a deployment that
   * cannot be served beside another, not-trusted, input-invalid.
   */
  'upgrades.plan': call<UpgradePlan>().with(upgradeRequestSchema),
  /** Serves the deployment of an upgrade that may move where it may move to. Throws input-invalid, and as deploying. */
  'upgrades.move': call<DeploymentInfo>().with(z.strictObject({ name: z.string().regex(studyNamePattern) })),
} as const;
