import type { Field, FieldContext, Section } from './field';
import { formField } from './form-field';

/** What is measured, and when a level counts as measured. */
export function performanceSections(context: FieldContext): readonly Section[] {
  const field = (name: string, own: Partial<Omit<Field, 'keys'>> = {}) =>
    formField(`performance.${name}`, context, own);
  const wide = { wide: true } as const;
  const sequences = ['length', 'lengthVariation', 'concurrent', 'firstId', 'endId'].map((name) =>
    field(`sequences.${name}`),
  );
  return [
    { title: 'Offline: one request at a time', fields: [field('batchSizes', wide)] },
    {
      title: 'Online: many clients',
      fields: [
        field('concurrency', { ...wide, control: { kind: 'sweep' } }),
        field('onlineBatchSize'),
        field('requestRates', wide),
        ...['requestDistribution', 'requestSeed', 'requestIntervalsUs'].map((name) => field(name)),
        ...['search', 'latencyThresholdMs'].map((name) => field(name)),
      ],
    },
    {
      title: 'Requests',
      fields: [
        ...['loadTool', 'protocol'].map((name) => field(name)),
        field('inputData', wide),
        ...['inputDataFile', 'checkOutputs', 'sharedMemory', 'outputSharedMemoryBytes', 'streaming'].map(
          (name) => field(name),
        ),
      ],
    },
    {
      title: 'Sequences of a stateful model',
      folded: sequences.every(({ idle }) => idle !== undefined),
      fields: sequences,
    },
    {
      title: 'When a level is measured',
      fields: [
        field('measurementMode', wide),
        ...['measurementIntervalMs', 'measurementRequestCount', 'stabilityPercentage', 'maxTrials'].map(
          (name) => field(name),
        ),
        ...['warmupMs', 'repeats', 'crossCheck'].map((name) => field(name)),
      ],
    },
  ];
}
