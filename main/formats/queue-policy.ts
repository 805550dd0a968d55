import type { ConfigureSpec } from '../contract/run/run-spec';
import type { QueuePolicy } from '../triton/model-config';

type QueueFields = Pick<
  ConfigureSpec,
  'maxQueueSize' | 'queueTimeoutUs' | 'queueTimeoutAction' | 'allowTimeoutOverride'
>;

/** No limit of any kind. */
export const queueOff = {
  ...{ maxQueueSize: 0, queueTimeoutUs: 0 },
  ...{ queueTimeoutAction: 'reject', allowTimeoutOverride: false },
} as const satisfies QueueFields;

/** What a dynamic batcher refuses, by the fields of a run; undefined: nothing. */
export function queuePolicyOf(configure: QueueFields): QueuePolicy | undefined {
  const { maxQueueSize = 0, queueTimeoutUs = 0, queueTimeoutAction, allowTimeoutOverride } = configure;
  const policy: QueuePolicy = {
    ...(maxQueueSize > 0 ? { maxQueueSize } : {}),
    ...(queueTimeoutUs > 0 ? { defaultTimeoutMicroseconds: queueTimeoutUs } : {}),
    ...(queueTimeoutAction === 'delay' ? { timeoutAction: 'DELAY' as const } : {}),
    ...(allowTimeoutOverride === true ? { allowTimeoutOverride } : {}),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

const wholeOf = (value: number | string | undefined): number => {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
};

/** The fields by a policy: what it does not have is absent. */
export function queueFieldsOf(policy: QueuePolicy | undefined): QueueFields {
  const [maxQueueSize, queueTimeoutUs] = [
    wholeOf(policy?.maxQueueSize),
    wholeOf(policy?.defaultTimeoutMicroseconds),
  ];
  return {
    ...(maxQueueSize > 0 ? { maxQueueSize } : {}),
    ...(queueTimeoutUs > 0 ? { queueTimeoutUs } : {}),
    ...(policy?.timeoutAction === 'DELAY' ? { queueTimeoutAction: 'delay' as const } : {}),
    ...(policy?.allowTimeoutOverride === true ? { allowTimeoutOverride: true } : {}),
  };
}
