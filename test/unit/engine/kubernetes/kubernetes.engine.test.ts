import { describe, expect, it } from 'vitest';
import { ownKubernetesJob } from '../../../../main/engine/kubernetes/kubernetes.engine';

const env = { TRITON_WORKBENCH_JOB: 'ml/tw-night-3f9a1c', TRITON_WORKBENCH_JOB_NODE: 'gpu-7' };

describe('the Job that a process runs in', () => {
  it('is named by the variables of its pod', () => {
    expect(ownKubernetesJob(env)).toMatchObject({
      ...{ id: 'ml/tw-night-3f9a1c', name: 'tw-night-3f9a1c', node: 'gpu-7' },
    });
    expect(ownKubernetesJob({})).toBeNull();
  });

  it.each([
    [undefined, 100_000, 'stopped'],
    ['3540', 3000, 'stopped'],
    ['3540', 3590, 'time-limit'],
  ])('with a pause after %s s is after %i s taken to have been ended by: %s', async (pause, upS, end) => {
    const variables = { ...env, ...(pause === undefined ? {} : { TRITON_WORKBENCH_JOB_PAUSE_S: pause }) };
    expect(await ownKubernetesJob(variables, () => upS)?.end()).toBe(end);
  });
});
