import { writeOutcome } from './outcomes.mjs';

const reasonOf = (errors) => errors.map(({ stack, message }) => stack || message).join('\n');

/** Reporter of vitest: writes what is known at once, and ends the run in order when it is asked to. */
export default class VitestOutcomes {
  onInit(vitest) {
    // The running tests come to their end and their hooks run; without this vitest is gone at once.
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.once(signal, () => void vitest.cancelCurrentRun('keyboard-input'));
    }
  }

  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    const name = `${test.module.relativeModuleId} > ${test.fullName}`;
    writeOutcome({ name, state, ...(state === 'failed' ? { reason: reasonOf(errors) } : {}) });
  }

  /** A file that does not load, or a hook of it that failed. */
  onTestModuleEnd(module) {
    const errors = module.errors();
    if (errors.length > 0)
      writeOutcome({ name: module.relativeModuleId, state: 'failed', reason: reasonOf(errors) });
  }
}
