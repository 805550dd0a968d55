import { WorkbenchError } from '../contract/errors';
import { isEmptyReach, reachLines, reachOf } from '../contract/reach';
import type { RunSpec } from '../contract/run-spec';
import type { Approvals } from '../store/approvals';

/** Throws not-trusted with the list of what a run of it would use outside of the workbench and nobody agreed to. */
export async function requireApproved(approvals: Approvals, spec: RunSpec): Promise<void> {
  const missing = await approvals.missing(reachOf(spec));
  if (isEmptyReach(missing)) return;
  const { paths, images, hosts } = missing;
  const [first] = [...paths, ...images, ...hosts];
  const ways = [
    ...(paths.length + images.length > 0 ? ['--trust'] : []),
    ...(hosts.length > 0 ? ['--allow-remote-load'] : []),
  ];
  throw new WorkbenchError('not-trusted', `The run would ${reachLines(missing).map(lowered).join('; ')}`, {
    where: first?.field,
    remedy: `To approve, start it again in the window and confirm, or on the command line with ${ways.join(' and ')}.`,
  });
}

const lowered = (line: string): string => line.charAt(0).toLowerCase() + line.slice(1);
