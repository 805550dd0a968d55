import { duelOf } from '../../domain/study/duel/duel-study';
import { jointOf } from '../../domain/study/joint/joint-study';
import { searchOf } from '../../domain/study/search/search-study';
import { soakOf } from '../../domain/study/soak/soak-study';
import { upgradeOf } from '../../domain/study/upgrade/upgrade-study';
import { workOnDuel } from '../compare/duel';
import { workOnJoint } from '../search/joint';
import { workOnSearch } from '../search/search';
import { workOnSoak } from '../soak/work-on-soak';
import { workOnStudy } from '../study';
import { workOnUpgrade } from '../upgrade/work-on-upgrade';
import type { Given } from '../verb';

export interface ResumeOptions {
  readonly out?: string;
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

/** `studies resume`: by its kind. */
export async function resumeStudy(
  { core, output, exit }: Given,
  name: string,
  options: ResumeOptions,
): Promise<void> {
  const { trust = false, allowRemoteLoad = false, ...how } = options;
  const spec = await core.handlers['studies.specOf']({ name });
  const search = searchOf({ spec });
  if (search !== null) {
    exit(await workOnSearch(core, { spec, search }, output, true));
    return;
  }
  const joint = jointOf({ spec });
  if (joint !== null) {
    exit(await workOnJoint(core, { spec, joint }, output, true));
    return;
  }
  const duel = duelOf({ spec });
  if (duel !== null) {
    exit(await workOnDuel(core, { spec, duel }, output, { resume: true }));
    return;
  }
  const soak = soakOf({ spec });
  if (soak !== null) {
    exit(await workOnSoak(core, { spec, soak }, output, { resume: true }));
    return;
  }
  const upgrade = upgradeOf({ spec });
  if (upgrade !== null) {
    exit(await workOnUpgrade(core, { spec, upgrade }, output, { resume: true }));
    return;
  }
  const consent = { trust, allowRemoteLoad };
  exit(await workOnStudy(core, spec, output, { ...how, consent, resume: true }));
}
