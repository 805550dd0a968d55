import { writeOutcome } from './outcomes.mjs';

const states = { passed: 'passed', skipped: 'skipped', failed: 'failed', timedOut: 'failed' };

/** Reporter of Playwright: writes what is known at once. A test that was interrupted has no outcome. */
export default class PlaywrightOutcomes {
  onTestEnd(test, { status, errors }) {
    const state = states[status];
    if (state === undefined) return;
    const name = test.titlePath().filter(Boolean).join(' > ');
    const reason = errors.map(({ stack, message }) => stack ?? message ?? '').join('\n');
    writeOutcome({ name, state, ...(state === 'failed' ? { reason } : {}) });
  }

  printsToStdio() {
    return false;
  }
}
