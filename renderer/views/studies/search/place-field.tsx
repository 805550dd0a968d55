import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import type { WireError } from '../../../../main/contract/errors';
import { remedyOf } from '../../../../main/contract/remedy';
import type { SearchRequest } from '../../../../main/contract/study/search';
import { asSentence } from '../../../format/words';
import { onText } from '../../../handlers';

type Server = NonNullable<SearchRequest['server']>;

/** What is typed. */
export interface PlaceText {
  readonly isRunning: boolean;
  readonly url: string;
  /** Empty: two ports above that of HTTP. */
  readonly metrics: string;
  /** PEM file of the authorities of an https server; empty: those of the system. */
  readonly caFile: string;
  /** The address that was typed to its end; null: none. */
  readonly asked: Server | null;
  /** How often an address was asked. */
  readonly times: number;
}
export const usualPlace: PlaceText = {
  ...{ isRunning: false, url: 'localhost:8000', metrics: '', caFile: '', asked: null, times: 0 },
};

const isSecure = (url: string): boolean => /^https:\/\//i.test(url.trim());

const typedServer = ({ url, metrics, caFile }: PlaceText): Server => ({
  url: url.trim(),
  ...(metrics.trim() === '' ? {} : { metrics: metrics.trim() }),
  ...(isSecure(url) && caFile.trim() !== '' ? { tls: { caFile: caFile.trim() } } : {}),
});

/** What is typed is the address to ask, again where it was asked before. */
const askedNow = (place: PlaceText): PlaceText =>
  place.isRunning ? { ...place, asked: typedServer(place), times: place.times + 1 } : place;

/** Where a search measures; null: the address has to be checked first. */
export function placeOf(place: PlaceText): Pick<SearchRequest, 'server'> | null {
  const { isRunning, asked } = place;
  if (!isRunning) return {};
  const isStale = JSON.stringify(asked) !== JSON.stringify(typedServer(place));
  return asked === null || isStale ? null : { server: asked };
}

const optionOf = { url: '--url', metrics: '--metrics-url' } as const;

/** The field that an error of the plan is about; null: none of them. */
export function placeFieldOf({ where }: Pick<WireError, 'where'>): keyof typeof optionOf | null {
  if (where === optionOf.url || where === 'engine.url') return 'url';
  return where === optionOf.metrics ? 'metrics' : null;
}

const textOf = (error: WireError): string => `${asSentence(error.message)} ${remedyOf(error)}`;

/** A Triton that is started for the search, or one that runs already: it is asked once its address is typed to the end. */
export function PlaceField(props: {
  place: PlaceText;
  /** Of what was asked last. */
  error: WireError | null;
  isAsking: boolean;
  onChange: (place: PlaceText) => void;
}) {
  const { place, error, isAsking, onChange } = props;
  const field = error === null ? null : placeFieldOf(error);
  const isChecked = placeOf(place) !== null;
  const check = (): void => onChange(askedNow(place));
  /** A form with several fields is not sent by Enter. */
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    check();
  };
  const problemOf = (name: 'url' | 'metrics'): string | null =>
    isChecked && error !== null && field === name ? textOf(error) : null;
  return (
    <>
      <NativeSelect
        label="Where to measure"
        data={[
          { value: 'own', label: 'New Triton, started as for the run' },
          { value: 'running', label: 'Running Triton' },
        ]}
        value={place.isRunning ? 'running' : 'own'}
        onChange={onText((value) => onChange({ ...place, isRunning: value === 'running', asked: null }))}
      />
      {place.isRunning ? (
        <div className="row">
          <TextInput
            label="Triton HTTP address"
            flex={2}
            description={isChecked ? null : 'Not checked yet: press Enter or Check.'}
            error={problemOf('url')}
            value={place.url}
            onChange={onText((url) => onChange({ ...place, url }))}
            onKeyDown={onKeyDown}
            rightSectionWidth={96}
            rightSection={
              <Button
                size="compact-xs"
                variant="subtle"
                loading={isAsking}
                leftSection={<IconRefresh size={12} aria-hidden="true" />}
                onClick={check}
              >
                Check
              </Button>
            }
          />
          <TextInput
            label="Metrics address"
            flex={1}
            placeholder="HTTP port + 2"
            error={problemOf('metrics')}
            value={place.metrics}
            onChange={onText((metrics) => onChange({ ...place, metrics }))}
            onKeyDown={onKeyDown}
          />
          {isSecure(place.url) ? (
            <TextInput
              label="CA file (PEM)"
              flex={1}
              placeholder="the system’s"
              value={place.caFile}
              onChange={onText((caFile) => onChange({ ...place, caFile }))}
              onKeyDown={onKeyDown}
            />
          ) : null}
        </div>
      ) : null}
    </>
  );
}
