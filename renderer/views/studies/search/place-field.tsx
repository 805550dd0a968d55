import { NativeSelect, TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../../main/contract/errors';
import { remedyOf } from '../../../../main/contract/remedy';
import type { SearchRequest } from '../../../../main/contract/study/search';
import { asSentence } from '../../../format/words';
import { onText } from '../../../handlers';
import { useWorkbench } from '../../../workbench';
import { CheckedAddress, onEnter } from './checked-address';

type Server = NonNullable<SearchRequest['server']>;

/** What is typed. */
export interface PlaceText {
  readonly isRunning: boolean;
  /** Of the list; empty: none. */
  readonly host: string;
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
  ...{ isRunning: false, host: '', url: 'localhost:8000', metrics: '', caFile: '', asked: null, times: 0 },
};

/** A server of an earlier search was typed to its end then. */
export function placeTextOf({ server, host = '' }: Pick<SearchRequest, 'server' | 'host'>): PlaceText {
  if (server === undefined) return { ...usualPlace, host };
  const { url, metrics = '', tls } = server;
  const typed = { ...usualPlace, isRunning: true, url, metrics, caFile: tls?.caFile ?? '' };
  return askedNow(typed);
}

export const isSecure = (url: string): boolean => /^https:\/\//i.test(url.trim());

const typedServer = ({ url, metrics, caFile }: PlaceText): Server => ({
  url: url.trim(),
  ...(metrics.trim() === '' ? {} : { metrics: metrics.trim() }),
  ...(isSecure(url) && caFile.trim() !== '' ? { tls: { caFile: caFile.trim() } } : {}),
});

/** What is typed is the address to ask, again where it was asked before. */
const askedNow = (place: PlaceText): PlaceText =>
  place.isRunning ? { ...place, asked: typedServer(place), times: place.times + 1 } : place;

/** Where a search measures; null: the address has to be checked first. */
export function placeOf(place: PlaceText): Pick<SearchRequest, 'server' | 'host'> | null {
  const { isRunning, host, asked } = place;
  if (!isRunning) return host === '' ? {} : { host };
  const isStale = JSON.stringify(asked) !== JSON.stringify(typedServer(place));
  return asked === null || isStale ? null : { server: asked };
}

const own = 'own';
const running = 'running';
const atHost = 'host:';

const optionOf = { url: '--url', metrics: '--metrics-url', host: '--host' } as const;
type PlaceOption = keyof typeof optionOf;

/** The field that an error of the plan is about; null: none of them. */
export function placeFieldOf({ where }: Pick<WireError, 'where'>): PlaceOption | null {
  if (where === optionOf.url || where === 'engine.url') return 'url';
  if (where === optionOf.host) return 'host';
  return where === optionOf.metrics ? 'metrics' : null;
}

const textOf = (error: WireError): string => `${asSentence(error.message)} ${remedyOf(error)}`;

interface PlaceProps {
  place: PlaceText;
  /** Of what was asked last. */
  error: WireError | null;
  onChange: (place: PlaceText) => void;
}

/** null: the error is about something else, or what it is about was changed meanwhile. */
function problemAt(field: PlaceOption, { place, error }: PlaceProps): string | null {
  return error !== null && placeOf(place) !== null && placeFieldOf(error) === field ? textOf(error) : null;
}

function RunningFields(props: PlaceProps & { isAsking: boolean }) {
  const { place, isAsking, onChange } = props;
  const check = (): void => onChange(askedNow(place));
  const onKeyDown = onEnter(check);
  return (
    <div className="fields measure-load">
      <CheckedAddress
        url={place.url}
        isChecked={placeOf(place) !== null}
        isAsking={isAsking}
        error={problemAt('url', props)}
        onChange={(url) => onChange({ ...place, url })}
        onCheck={check}
      />
      <TextInput
        label="Metrics address"
        placeholder="HTTP port + 2"
        error={problemAt('metrics', props)}
        value={place.metrics}
        onChange={onText((metrics) => onChange({ ...place, metrics }))}
        onKeyDown={onKeyDown}
      />
      {isSecure(place.url) ? (
        <TextInput
          label="CA file (PEM)"
          placeholder="the system’s"
          value={place.caFile}
          onChange={onText((caFile) => onChange({ ...place, caFile }))}
          onKeyDown={onKeyDown}
        />
      ) : null}
    </div>
  );
}

/** A Triton that is started for the search, or one that runs already: it is asked once its address is typed to the end. */
export function PlaceField(props: PlaceProps & { isAsking: boolean; withHosts?: boolean }) {
  const { place, withHosts = true, onChange } = props;
  const { hosts } = useWorkbench();
  const entries = useStore(hosts, (state) => state.entries);
  useEffect(() => {
    if (withHosts) void hosts.getState().list();
  }, [hosts, withHosts]);
  const names = withHosts ? (entries ?? []).map(({ host }) => host.name) : [];
  const choose = (value: string): void => {
    const host = value.startsWith(atHost) ? value.slice(atHost.length) : '';
    onChange({ ...place, isRunning: value === running, host, asked: null });
  };
  return (
    <>
      <NativeSelect
        label="Where to measure"
        error={problemAt('host', props)}
        data={[
          { value: own, label: 'New Triton, started as for the run' },
          ...names.map((name) => ({ value: `${atHost}${name}`, label: `New Triton on the host ${name}` })),
          { value: running, label: 'Running Triton' },
        ]}
        value={place.isRunning ? running : place.host === '' ? own : `${atHost}${place.host}`}
        onChange={onText(choose)}
      />
      {place.isRunning ? <RunningFields {...props} /> : null}
    </>
  );
}
