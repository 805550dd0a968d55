import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { AlertRule, MonitorTarget } from '../contract/monitor';
import { alertRuleSchema, defaultRules, monitorTargetSchema } from '../contract/monitor';
import { writeFileAtomic } from '../platform/files';

const mostTargets = 8;
const schema = z.object({
  recent: z.array(monitorTargetSchema).max(mostTargets),
  rules: z.array(alertRuleSchema).max(50),
});

export interface MonitorSettings {
  readonly recent: readonly MonitorTarget[];
  readonly rules: readonly AlertRule[];
}

/** What the monitor remembers; a file that is missing or damaged is the beginning. */
export async function readMonitorSettings(path: string): Promise<MonitorSettings> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return { recent: [], rules: defaultRules };
  }
}

export async function writeMonitorSettings(path: string, settings: MonitorSettings): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(settings, null, 2)}\n`);
}

/** The target first, and those before it. */
export const withRecent = (
  targets: readonly MonitorTarget[],
  target: MonitorTarget,
): readonly MonitorTarget[] =>
  [target, ...targets.filter((known) => known.url !== target.url)].slice(0, mostTargets);
