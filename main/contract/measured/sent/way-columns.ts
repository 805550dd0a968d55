import { missing } from '../../numbers';
import { type Column, named, text } from '../column';
import { differenceText, wayAmount, type WayPart, type WayRow } from './way';

const partTitles: Readonly<Record<WayPart, string>> = {
  connect: 'Connect (per connection)',
  tls: 'TLS handshake (per connection)',
  send: 'Send',
  'first-byte': 'First byte',
  receive: 'Receive',
  latency: 'Latency (mean)',
  p99: 'Latency (p99)',
  throughput: 'Throughput',
};

const amountText = (part: WayPart, value: number | null): string =>
  value === null ? missing : wayAmount(part, value);

/** A row per part of the latency; texts, because units differ. */
export const wayColumns: readonly Column<WayRow>[] = [
  {
    ...named('way-part', null, 'Part', text),
    help: 'Part of a request, or of opening its connection.',
    read: ({ part }) => partTitles[part],
  },
  {
    ...named('way-direct', null, 'Direct', text),
    help: 'Mean of the measurements at the server itself.',
    read: ({ part, direct }) => amountText(part, direct),
  },
  {
    ...named('way-via', null, 'Through the gateway', text),
    help: 'Mean of the measurements through the gateway.',
    read: ({ part, via }) => amountText(part, via),
  },
  {
    ...named('way-difference', null, 'Difference', text),
    help: 'Through the gateway minus direct, with the half-width of its 95 % interval.',
    read: differenceText,
  },
];
