import { MultiSelect, TextInput } from '@mantine/core';
import { fieldAt } from '../../../../main/contract/fields/fields';
import type { SearchSpace } from '../../../../main/contract/study/search';
import { onText } from '../../../handlers';

const numberFields = ['instances', 'maxBatchSize', 'maxQueueDelayUs', 'threads'] as const;

/** What is typed; empty: the search chooses. */
export type TriedText = Readonly<Record<(typeof numberFields)[number], string>> & {
  readonly batching: readonly string[];
};

export const isTriedField = (field: string): boolean => ['batching', ...numberFields].includes(field);

export const triedTextOf = ({
  instances = [],
  maxBatchSize = [],
  maxQueueDelayUs = [],
  threads = [],
  batching = [],
}: SearchSpace): TriedText => ({
  ...{ instances: instances.join(', '), maxBatchSize: maxBatchSize.join(', ') },
  ...{ maxQueueDelayUs: maxQueueDelayUs.join(', '), threads: threads.join(', '), batching },
});

/** null: not a list of whole numbers. */
function numbersOf(text: string): number[] | null {
  const values = text.split(',').map((part) => part.trim());
  return values.every((value) => /^\d{1,9}$/.test(value)) ? values.map(Number) : null;
}

const isWrong = (text: string): boolean => text.trim() !== '' && numbersOf(text) === null;

export const hasWrongValues = (tried: TriedText): boolean =>
  numberFields.some((field) => isWrong(tried[field]));

/** The values to try, of the fields that have some. */
export function spaceOf(tried: TriedText): SearchSpace {
  const numbers = numberFields.flatMap((field) => {
    const values = tried[field].trim() === '' ? null : numbersOf(tried[field]);
    return values === null ? [] : [[field, values] as const];
  });
  const batching = tried.batching as NonNullable<SearchSpace['batching']>;
  return { ...Object.fromEntries(numbers), ...(batching.length === 0 ? {} : { batching: [...batching] }) };
}

/** Which values a search tries, where they are to be others than its own choice. */
export function TriedValues({ tried, onChange }: { tried: TriedText; onChange: (tried: TriedText) => void }) {
  const { choices = {} } = fieldAt('configure.batching');
  return (
    <details>
      <summary>Values to try</summary>
      <div className="fields measure-load">
        {numberFields.map((field) => {
          const { label, unit } = fieldAt(`configure.${field}`);
          return (
            <TextInput
              key={field}
              label={unit === undefined ? label : `${label} (${unit})`}
              placeholder="chosen by the search"
              error={isWrong(tried[field]) ? 'Use whole numbers, such as 1, 2, 4.' : null}
              value={tried[field]}
              onChange={onText((text) => onChange({ ...tried, [field]: text }))}
            />
          );
        })}
        <MultiSelect
          label={fieldAt('configure.batching').label}
          placeholder={tried.batching.length === 0 ? 'chosen by the search' : ''}
          data={Object.entries(choices).map(([value, label]) => ({ value, label }))}
          value={[...tried.batching]}
          onChange={(batching) => onChange({ ...tried, batching })}
        />
      </div>
    </details>
  );
}
