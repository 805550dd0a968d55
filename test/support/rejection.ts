import { WorkbenchError } from '../../main/contract/errors';

/** The error that an action ends with; the test fails when it ends well or with another kind of error. */
export async function rejection(action: Promise<unknown>): Promise<WorkbenchError> {
  try {
    await action;
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('The action was expected to fail');
}
