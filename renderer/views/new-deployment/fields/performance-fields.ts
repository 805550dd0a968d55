import { scenarioFields } from '../../../../main/contract/fields/accuracy-fields';
import { type LoadGroup, loadGroups } from '../../../../main/contract/fields/field';
import { performanceFields } from '../../../../main/contract/fields/performance-fields';
import type { Field, FieldContext, Section } from './field';
import { formField } from './form-field';

const titles: Readonly<Record<LoadGroup, string>> = {
  offline: 'Offline: one request at a time',
  online: 'Online: many clients',
  requests: 'Requests',
  sequences: 'Sequences of a stateful model',
  windows: 'When a level is measured',
  apart: 'Offline and online apart',
};

/** What only the form says of a field. */
const forms: Readonly<Record<string, Partial<Omit<Field, 'keys'>>>> = {
  'performance.batchSizes': { wide: true },
  'performance.concurrency': { wide: true, control: { kind: 'sweep' } },
  'performance.requestRates': { wide: true },
  'performance.inputData': { wide: true },
  'performance.measurementMode': { wide: true },
};

/** What is measured, and when a level counts as measured: every field of the load. */
export const performanceSections = (context: FieldContext): readonly Section[] =>
  loadGroups.map((group) => {
    const fields = [...performanceFields, ...scenarioFields]
      .filter((row) => row.group === group)
      .map(({ path }) => formField(path, context, forms[path]));
    return {
      title: titles[group],
      fields,
      ...(group === 'sequences' ? { folded: fields.every(({ idle }) => idle !== undefined) } : {}),
      ...(group === 'apart'
        ? { folded: fields.every(({ keys }) => context.value(...keys) === undefined) }
        : {}),
    };
  });
