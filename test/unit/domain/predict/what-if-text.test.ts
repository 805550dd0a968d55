import { describe, expect, it } from 'vitest';
import { whatIf } from '../../../../main/domain/predict/what-if';
import { whatIfLines, whatIfProblem, whatIfText } from '../../../../main/domain/predict/what-if-text';
import { predictableState } from '../../../support/predictable-run';

const state = predictableState();

describe('the words of a prediction', () => {
  it('say first that nothing was measured', () => {
    const text = whatIfText(whatIf(state, { rate: 500, maxQueueDelayUs: 500 }));
    expect(text).toMatch(
      /^Predicted, not measured: 500 requests\/s with Poisson arrivals on 1 instance with batches of up to 8 and a queue delay of 500 µs: [\d.]+ inferences\/s, p99 [\d.]+ ms\.$/,
    );
  });

  it('give its error for the measured levels, and what the present configuration would do', () => {
    const lines = whatIfLines(whatIf(state, { rate: 500, maxBatchSize: 4 })).join('\n');
    expect(lines).toMatch(
      /For the 4 levels that the run measured, the prediction is off by <?[\d.]+ % in throughput/,
    );
    expect(lines).toMatch(/Predicted for the present configuration: [\d.]+ inferences\/s, p99/);
    expect(lines).not.toContain('Outside the range');
  });

  it('say what is extrapolated, and that a queue without end has no latency', () => {
    const outside = whatIfLines(whatIf(state, { instances: 2 })).join('\n');
    expect(outside).toContain(
      'Outside the range that the run measured (executions of up to 8 rows on up to 1 busy instance): the times beyond it are extrapolated.',
    );
    const overloaded = whatIfLines(whatIf(state, { rate: 9000 })).join('\n');
    expect(overloaded).toMatch(/: at most [\d,]+ inferences\/s; the queue grows without end\./);
    expect(overloaded).not.toContain('Predicted latency');
  });

  it('name a value that cannot be asked', () => {
    expect(whatIfProblem({ rate: 0 })).toMatchObject({ field: 'rate' });
    expect(whatIfProblem({ instances: 1.5 })?.message).toBe('1.5 is not a whole number from 1 to 64');
    expect(whatIfProblem({ rate: 5, concurrency: 2 })?.field).toBe('concurrency');
    expect(whatIfProblem({ rate: 5, instances: 2, maxQueueDelayUs: 0 })).toBeNull();
  });
});
