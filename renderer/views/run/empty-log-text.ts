import type { StepStatus } from '../../../main/contract/run-state';

/** What is said in place of the lines of a log that has none. Pure. */
export function emptyLogText(status: StepStatus): string {
  switch (status) {
    case 'running':
      return 'No lines yet.';
    case 'waiting':
      return 'This step has not started.';
    case 'skipped':
      return 'This step was not run, so it wrote no log.';
    case 'done':
    case 'failed':
    case 'cancelled':
      return 'This step wrote no log.';
  }
}
