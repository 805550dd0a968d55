/** Refused in place of answered: an expected outcome under overload, and no error of the model. */
export const refusalKinds = ['queue full', 'timeout', 'cancelled'] as const;
export type RefusalKind = (typeof refusalKinds)[number];

/** Statuses that only say this, whatever their text. */
const byStatus: Readonly<Record<string, RefusalKind>> = {
  RESOURCE_EXHAUSTED: 'queue full',
  'HTTP 429': 'queue full',
  DEADLINE_EXCEEDED: 'timeout',
  'HTTP 408': 'timeout',
  'HTTP 504': 'timeout',
  CANCELLED: 'cancelled',
  'HTTP 499': 'cancelled',
};

/** Triton answers UNAVAILABLE (HTTP 503) with these words, as it does when a model is not ready. */
const byWords: readonly (readonly [RegExp, RefusalKind])[] = [
  [/exceeds maximum queue size/i, 'queue full'],
  [/request timeout expired/i, 'timeout'],
];

/** null: the failure is an error. @param kind status of the answer. @param message the server's words */
export function refusalOf(kind: string, message: string): RefusalKind | null {
  return (
    refusalKinds.find((known) => known === kind) ??
    byStatus[kind] ??
    byWords.find(([words]) => words.test(message))?.[1] ??
    null
  );
}
