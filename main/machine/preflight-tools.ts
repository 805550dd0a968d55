import { toolList } from '../contract/tools';
import type { PreflightInput } from './preflight-input';
import type { Outcome } from './preflight-outcome';
import { notApplicable, ok, problem, warning } from './preflight-outcome';

/** What runs outside of containers need of the workbench home. */
export function checkTools({ tools, docker }: PreflightInput): Outcome {
  if (tools === null) return notApplicable('Containers include their own Triton and Python.');
  const { missing, installable } = tools;
  if (missing.length === 0) return ok('Triton, perf_analyzer and the Python environment are installed.');
  const finding = `Not installed: ${toolList(missing)}.`;
  const install = installable
    ? 'Install the missing tools here'
    : 'Run "npm run demo" once while online, in a clone of the workbench, to install them';
  // Only who chooses it needs it.
  if (missing.every((tool) => tool === 'perf-analyzer')) {
    return warning(finding, `${install}, or use the native load generator.`);
  }
  return problem(finding, docker.reachable ? `${install}, or run in Docker containers.` : `${install}.`);
}
