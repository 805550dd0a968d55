import { describe, expect, it } from 'vitest';
import { queueFieldsOf, queuePolicyOf } from '../../../main/formats/queue-policy';

describe('the policy of a queue', () => {
  it.each([
    {},
    { maxQueueSize: 4 },
    { maxQueueSize: 4, queueTimeoutUs: 1000, queueTimeoutAction: 'delay', allowTimeoutOverride: true },
  ] as const)('of %j is read back as it was written', (fields) => {
    expect(queueFieldsOf(queuePolicyOf(fields))).toEqual(fields);
  });

  it('takes the forms of both writers, and leaves out what is none', () => {
    expect(
      queueFieldsOf({ defaultTimeoutMicroseconds: '2000', timeoutAction: 'REJECT', maxQueueSize: 0 }),
    ).toEqual({
      queueTimeoutUs: 2000,
    });
    expect(queueFieldsOf({ defaultTimeoutMicroseconds: 'soon' })).toEqual({});
    expect(
      queuePolicyOf({ maxQueueSize: 0, queueTimeoutAction: 'reject', allowTimeoutOverride: false }),
    ).toBeUndefined();
  });
});
