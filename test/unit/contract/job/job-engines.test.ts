import { expect, it } from 'vitest';
import { kubernetesEngineSchema } from '../../../../main/contract/job/job-engines';

const problemOf = (memory: string): string | undefined => {
  const { error } = kubernetesEngineSchema.safeParse({ kind: 'kubernetes', memory });
  return error?.issues[0]?.message;
};

it('takes the memory of a pod as Kubernetes writes it, and refuses a number whose unit was forgotten', () => {
  for (const memory of ['32Gi', '500M', '1.5Gi', '34359738368']) expect(problemOf(memory)).toBeUndefined();
  for (const memory of ['64', '4096']) expect(problemOf(memory)).toContain('has no unit: use 32Gi');
  expect(problemOf('32GB')).toContain('must be an amount as Kubernetes writes it');
});
