import { expect, it } from 'vitest';
import { refusalOf } from '../../../../../main/domain/measured/overload/refusals';

it.each([
  ['UNAVAILABLE', '[request id: <id_unknown>] Exceeds maximum queue size', 'queue full'],
  ['HTTP 503', '[request id: <id_unknown>] Exceeds maximum queue size', 'queue full'],
  ['UNAVAILABLE', 'Request timeout expired', 'timeout'],
  ['HTTP 503', 'Request timeout expired', 'timeout'],
  ['HTTP 429', 'slow down', 'queue full'],
  ['DEADLINE_EXCEEDED', '', 'timeout'],
  ['cancelled', 'the client cancelled the request', 'cancelled'],
  // A model that is not ready, a fault of a model, a lost connection.
  ['UNAVAILABLE', 'Request for unknown model: is not ready', null],
  ['INTERNAL', 'Failed to process the request(s)', null],
  ['connection lost', 'reset', null],
])('%s "%s" is %s', (kind, message, refusal) => {
  expect(refusalOf(kind, message)).toBe(refusal);
});
