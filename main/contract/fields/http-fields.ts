import type { FieldRow, ValueAt } from './field';

const withHttp = {
  text: 'the protocol HTTP',
  isNeeded: true,
  holds: (at: ValueAt) => at('performance.protocol') === 'http',
};

/** How requests go over HTTP to a running server. */
export const httpFields: readonly FieldRow[] = [
  {
    path: 'performance.httpVersion',
    group: 'requests',
    serverOnly: true,
    label: 'HTTP version',
    term: 'http-version',
    help: 'HTTP/2 in clear text needs a gateway that accepts it without an upgrade. Over TLS the server chooses by default.',
    choices: { '1.1': 'HTTP/1.1', '2': 'HTTP/2' },
    absent: 'as the server offers',
    option: '--http-version <version>',
    decides: 'level',
    onlyWith: withHttp,
  },
  {
    path: 'performance.httpCompression',
    group: 'requests',
    serverOnly: true,
    label: 'HTTP compression',
    term: 'http-compression',
    help: 'Sends compressed requests, made before the measurement, and asks for compressed responses.',
    choices: { gzip: 'gzip', deflate: 'deflate' },
    absent: 'none',
    option: '--http-compression <kind>',
    decides: 'level',
    onlyWith: withHttp,
  },
];
