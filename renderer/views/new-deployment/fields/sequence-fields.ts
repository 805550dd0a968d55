import { sequenceSchema } from '../../../../main/contract/sequences';
import { isTree } from '../../../../main/contract/trees';
import type { Field, FieldContext, Section } from './field';

/** What a stateful model is asked by default; shown where nothing is chosen. */
const byDefault = sequenceSchema.parse({});

/** Whether config.pbtxt was edited so that Triton keeps state, by either spelling of the field. */
function isStateful(context: FieldContext): boolean {
  const patch = context.value('configure', 'configPatch');
  return isTree(patch) && (isTree(patch['sequenceBatching']) || isTree(patch['sequence_batching']));
}

/** How requests of a stateful model belong together. */
export function sequenceSection(context: FieldContext): Section {
  const rates = context.value('performance', 'requestRates');
  const byRate = Array.isArray(rates) && rates.length > 0;
  const idle = isStateful(context) ? undefined : 'Of effect with sequence_batching in config.pbtxt.';
  const field = (name: string, rest: Omit<Field, 'keys'>): Field => ({
    keys: ['performance', 'sequences', name],
    ...rest,
    idle: idle ?? rest.idle,
  });
  return {
    title: 'Sequences of a stateful model',
    folded: idle !== undefined,
    fields: [
      field('length', {
        label: 'Requests of a sequence',
        term: 'sequence-length',
        help: 'The first and the last tell Triton so; streams of a file have their own length.',
        control: { kind: 'integer', min: 1, placeholder: String(byDefault.length) },
      }),
      field('lengthVariation', {
        label: 'Variation of the length, %',
        term: 'sequence-length-variation',
        help: 'Sequences are so much shorter or longer.',
        control: { kind: 'number', min: 0, step: 5, placeholder: String(byDefault.lengthVariation) },
      }),
      field('concurrent', {
        label: 'Sequences at once',
        term: 'num-of-sequences',
        help: 'With request rates; else there are as many as the concurrency.',
        control: { kind: 'integer', min: 1, placeholder: String(byDefault.concurrent) },
        idle: byRate ? undefined : 'Of effect with request rates.',
      }),
      field('firstId', {
        label: 'First correlation ID',
        term: 'sequence-id-range',
        help: 'Each further sequence has the next one.',
        control: { kind: 'integer', min: 1, isName: true, placeholder: String(byDefault.firstId) },
      }),
      field('endId', {
        label: 'Correlation IDs before',
        term: 'sequence-id-range',
        help: 'From here they begin anew; without a number they go on.',
        control: { kind: 'integer', min: 2, isName: true, placeholder: 'no end' },
      }),
    ],
  };
}
