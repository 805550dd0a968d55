import { describe, expect, it } from 'vitest';
import { latencyLimit, lowestLoad, readmeText } from '../../../main/bundle/bundle';
import { startupOf } from '../../../main/bundle/manifests';
import { capacityOf, isCapacity } from '../../../main/domain/measured/capacity';
import { coldState } from '../../support/cold-state';
import {
  completeState,
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  stateOf,
} from '../../support/run-state';
import { tinyConfig } from '../../support/tiny-model';

const image = { reference: 'triton-workbench/triton-cpu:0123456789ab', builtHere: true, release: null };

describe('lowestLoad', () => {
  it('is the steady level of the model alone with the fewest inferences under way', () => {
    const state = stateOf([
      ...createdBodies(),
      measurementBody('offline', pointFixture({ batchSize: 2, concurrency: 1 })),
      measurementBody('online', pointFixture({ batchSize: 1, concurrency: 4 })),
      measurementBody(
        'online',
        pointFixture({ batchSize: 1, concurrency: 1, stable: false, flags: ['unstable'] }),
      ),
    ]);
    expect(lowestLoad(state)).toMatchObject({ batchSize: 2, concurrency: 1 });
  });

  it('is null where nothing steady was measured', () => {
    const state = stateOf([
      ...createdBodies(),
      measurementBody('online', pointFixture({ stable: false, flags: ['unstable'] })),
    ]);
    expect(lowestLoad(state)).toBeNull();
    expect(latencyLimit(state)).toBeNull();
  });
});

describe('latencyLimit', () => {
  const limitOf = (p99Us: number, p99IntervalUs: number | null) =>
    latencyLimit(
      stateOf([
        ...createdBodies(),
        measurementBody('online', pointFixture({ p99Us, p99IntervalUs, maxUs: 100_000 } as never)),
      ]),
    );

  it('is the upper end of the interval and a quarter for the client', () => {
    expect(limitOf(38_000, 2000)).toMatchObject({ batchSize: 1, limitMs: 50 });
    expect(limitOf(38_000, 2000)?.text).toContain('38.00 ± 2.00 ms at batch size 1, concurrency 1');
  });

  it('allows the client 5 ms at least, and does without an interval', () => {
    expect(limitOf(4000, null)).toMatchObject({ limitMs: 9 });
    expect(limitOf(4000, null)?.text).toContain('measured p99 4.00 ms at');
  });
});

describe('readmeText', () => {
  const input = {
    state: completeState(),
    titles: { top1: 'Top-1 accuracy' },
    image,
    samples: { checkedSamples: 8, checkedBatchSize: 16 },
    capacity: null,
    found: null,
    pendingRequests: 4,
    startup: startupOf(null),
  };

  it('says what one replica of the configuration of a search holds, with how sure that is', () => {
    const promised = {
      ...{ search: 'night', text: '212.0 requests/s within p99 20.00 ms', requestsPerSecond: 212 },
      ...{ inferencesPerSecond: 212, percentile: 99, latencyUs: 20_000, confirmed: true },
    };
    const found = { name: 'night', config: tinyConfig, sentence: 'Model instances 2: more', promised };
    const textOf = (confirmed: boolean) =>
      readmeText({
        ...input,
        found: { ...found, promised: { ...promised, confirmed } },
        measuredLocally: false,
      });
    expect(textOf(true)).toContain(
      '| one replica holds | 212.0 requests/s within p99 20.00 ms, by the search night |',
    );
    expect(textOf(false)).toContain(
      'by the search night, which ended before it was measured at full length |',
    );
    expect(readmeText({ ...input, measuredLocally: false })).not.toContain('one replica holds');
  });

  it('says what one replica of a plan holds', () => {
    const ask = { rate: 1000, p99Ms: 500, headroom: 0, spare: 0, pricePerHour: null };
    const capacity = capacityOf(completeState(), ask);
    if (!isCapacity(capacity)) throw new Error(capacity.text);
    const text = readmeText({ ...input, capacity, measuredLocally: false });
    expect(text).toMatch(
      /\| one replica holds \| [\d.,]+ inferences\/s within p99 500\.0 ms, by the plan, measured closed \|/,
    );
  });

  it('has the cold start with the time that a start may take', () => {
    const state = deployed(coldState());
    const text = readmeText({
      ...input,
      state,
      startup: startupOf({ readyUs: 2_080_000 }),
      measuredLocally: false,
    });
    expect(text).toContain('## Cold start');
    expect(text).toContain('- The warm-up does not reach batch size 16: it had no effect there.');
    expect(text).toContain('| Batch size | First request (ms) |');
    expect(text).toContain(
      'start_period in compose.yaml: 60 s, the minimum, more than 10 times the measured 2.1 s',
    );
    const before = readmeText({ ...input, measuredLocally: false });
    expect(before).toContain('600 s, a starting point: the time to ready was not measured.');
  });

  it('says what was measured, and on what', () => {
    const text = readmeText({ ...input, measuredLocally: false });
    expect(text).toContain('Best steady level: ');
    expect(text).toContain('Top-1 accuracy equal to the framework’s');
    expect(text).toContain('AMD EPYC 7B13 (2 CPUs); 8.0 GiB');
    expect(text).toContain(`| measured on | ${image.reference} |`);
    expect(text).toContain('| samples that smoke-test.py compares | 8 samples and a batch of 16 |');
    expect(text).toContain('as it was verified against the framework and measured. Made by');
    expect(text).not.toContain('without a container');
  });

  it('names the golden file that the samples are of, and a run that was not checked', () => {
    const samples = { checkedSamples: 3, golden: 'ocr.json' };
    const text = readmeText({ ...input, samples, measuredLocally: false });
    expect(text).toContain('| samples that smoke-test.py compares | 3 samples of ocr.json |');
    expect(text).toContain('the outputs of ocr.json');
    const unchecked = { ...input, state: { ...completeState(), accuracy: null } };
    expect(readmeText({ ...unchecked, measuredLocally: false })).toContain(
      'its accuracy: not checked. Made by',
    );
  });

  it('says of a run on the local Triton that it was measured without the image', () => {
    const text = readmeText({ ...input, measuredLocally: true });
    expect(text).toContain('The run itself was measured without a container');
    expect(text).not.toContain(`| measured on | ${image.reference} |`);
  });
});
