import type { LoadPoint } from '../../main/contract/measured/results';
import type { Spread } from '../../main/contract/measured/spread';
import { pointFixture } from './run-state';

export const spreadOf = (us: number): Spread => ({
  avgUs: us * 1.1,
  p50Us: us,
  p90Us: us * 2,
  p95Us: us * 3,
  p99Us: us * 4,
  maxUs: us * 5,
});

/** A level of a decoupled, stateful model over a stream with TLS, its responses checked. */
export function furtherPoint(change: Partial<LoadPoint> = {}): LoadPoint {
  return pointFixture({
    concurrency: 4,
    requestCount: 1800,
    streaming: {
      decoupled: true,
      responsesPerRequest: 7.5,
      responsesPerSecond: 1234.5,
      fewestResponses: 3,
      mostResponses: 12,
      firstResponse: spreadOf(2000),
      interResponse: spreadOf(500),
      finalResponse: spreadOf(9000),
    },
    sequences: { length: 20, lengthVariation: 10, concurrent: 4, endedPerSecond: 31.25 },
    outputChecks: { checkedCount: 118, wrongCount: 2, comparedCount: 40, finite: true },
    tls: { verified: false, clientCertificate: false },
    ...change,
  });
}
